// SPDX-License-Identifier: Apache-2.0
// Looks at every memory request and every synchronisation of a launch: finds reads of what nobody
// wrote and races, and counts for the audit.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/audit.hpp"
#include "emulator/checks/order.hpp"
#include "emulator/checks/stamps.hpp"
#include "emulator/interpreter/block.hpp"
#include "emulator/interpreter/ops/locate.hpp"

namespace gk::emulator {

class GridWatch {
 public:
  GridWatch(const Grid& grid, std::uint64_t blocks);
  ~GridWatch();
  GridWatch(const GridWatch&) = delete;
  GridWatch& operator=(const GridWatch&) = delete;

  const Options& options() const { return options_; }
  GridOrder& order() { return order_; }
  AuditCounter* audit() { return audit_ ? &*audit_ : nullptr; }

 private:
  Options options_;
  GridOrder order_;
  std::optional<AuditCounter> audit_;
};

class BlockWatch {
 public:
  BlockWatch(GridWatch& grid, const Block& block);

  // Before the bytes move. Throws Fault.
  void request(const Warp& warp, const Instruction& at, const Request& request);
  void executed(const Warp& warp, const Instruction& at) {
    if (AuditCounter* audit = grid_->audit()) audit->executed(warp, at);
  }

  void arrived(std::uint8_t barrier, const Warp& warp, bool waits) {
    order_.arrive(barrier, warp.index, warp.active, waits);
  }
  void barrier_completed(std::uint8_t barrier) { order_.complete(barrier); }
  void warp_synchronised(const Warp& warp) { order_.join_lanes(warp.index, warp.active); }
  void fenced(const Warp& warp) {
    order_.release(warp.index, warp.active);
    order_.acquire(warp.index, warp.active);
  }

 private:
  struct One;  // one lane's part of a request
  void check_written(const One& one);
  void check_race(const One& one);
  void publish_and_take_over(const One& one);
  void check_bytes(const One& one, Stamps& stamps, std::uint32_t byte);
  bool is_before(const Stamp& stamp, std::uint32_t me) const;
  bool is_conflict(const Stamp& other, const Stamp& mine, std::uint32_t me) const;
  void remember_reader(Stamps& stamps, const Stamp& mine, std::uint32_t me) const;
  Stamps* stamps_of(const One& one);
  std::uint8_t* written_of(const One& one);

  GridWatch* grid_;
  const Block* block_;
  BlockOrder order_;
  std::vector<std::uint8_t> shared_written_;
  SharedStamps shared_stamps_;
};

}  // namespace gk::emulator
