// SPDX-License-Identifier: Apache-2.0
// What happened before what. Within a block, every warp has a clock per other warp: what that warp
// did before it is ordered before what this warp does from now on; barriers join clocks. Between
// blocks, a fence followed by an atomic (or release store) publishes, and an atomic (or acquire
// load) of the same location followed by a fence takes over: the message-passing pattern of the PTX
// memory model. Orders that arise in another way are not known here. What one lane takes over
// counts for its whole warp, and a compare-and-swap publishes even when it fails: races behind
// these two are not seen.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace gk::emulator {

// Position in a block's history; it advances at synchronisations, not at accesses. 0 is never.
using Moment = std::uint32_t;

// For every thread of one block: what it did before this moment is published.
using Published = std::vector<Moment>;
using PublishedByBlock = std::map<std::uint32_t, std::shared_ptr<const Published>>;
// What a thread knows of other blocks. Shared until it changes: most threads know the same.
using Known = std::shared_ptr<PublishedByBlock>;

// What blocks published, by the address of the atomic.
class GridOrder {
 public:
  explicit GridOrder(Moment first) : first_(first), latest_(first) {}
  Moment first() const { return first_; }
  Moment latest() const { return latest_; }
  void advanced_to(Moment moment) { latest_ = moment > latest_ ? moment : latest_; }
  void publish(std::uint64_t address, const Known& what);
  const Known& at(std::uint64_t address) { return published_[address]; }

 private:
  Moment first_, latest_;
  std::unordered_map<std::uint64_t, Known> published_;
};

class BlockOrder {
 public:
  BlockOrder(GridOrder& grid, std::uint32_t block, std::uint32_t threads);

  Moment now() const { return now_; }
  // Lanes of a warp come to a barrier; those that wait will be joined when it completes.
  void arrive(std::uint8_t barrier, std::uint32_t warp, std::uint32_t lanes, bool waits);
  void complete(std::uint8_t barrier);
  void join_lanes(std::uint32_t warp, std::uint32_t lanes);
  // The two sides of a fence: what was done before is published by the next atomic; what former
  // atomics took over counts from now on.
  void release(std::uint32_t warp, std::uint32_t lanes);
  void acquire(std::uint32_t warp, std::uint32_t lanes);
  void publish(std::uint32_t thread, std::uint64_t address);
  void take_over(std::uint32_t thread, std::uint64_t address);

  // Whether what `thread` of this block did at `then` is ordered before what `me` does now.
  bool is_before(std::uint32_t thread, Moment then, std::uint32_t me) const;
  // The same for a thread of another block.
  bool is_before(std::uint32_t block, std::uint32_t thread, Moment then, std::uint32_t me) const;

 private:
  static constexpr std::size_t kWarps = 32;
  using Clock = std::array<Moment, kWarps>;  // per warp: earlier moments of it are ordered before

  struct Pending {
    Clock joined{};
    std::uint32_t waiting_warps = 0;  // one bit each
    Known known;
  };

  void tick();

  GridOrder* grid_;
  std::uint32_t block_;
  Moment now_;
  bool has_released_ = false;
  std::vector<Clock> clocks_;                       // of warps
  std::vector<std::array<Moment, 32 * 32>> lanes_;  // of warps: [to][from], ordered before
  std::vector<Clock> fenced_;  // of threads: their warp's clock at their last fence
  std::vector<std::array<Moment, 32>> fenced_lanes_;  // the same for the lanes of their warp
  std::vector<Moment> fenced_at_;                     // of threads; 0: never
  std::vector<Known> seen_;                           // of threads: taken over, not fenced yet
  std::vector<Known> known_;                          // of threads
  std::vector<Known> passed_;  // of threads: what they knew at their last fence
  std::array<Pending, 16> barriers_;
};

}  // namespace gk::emulator
