// SPDX-License-Identifier: Apache-2.0
#include "emulator/checks/watch.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>

#include "emulator/text.hpp"

namespace gk::emulator {
namespace {

// The first moment of the next launch.
Moment next_moment = 1;

// Behind the last moment, old stamps would look new.
Moment first_moment() {
  if (next_moment > kMostMoments / 2) {
    throw std::runtime_error("the emulator's race check has run out of moments in this process");
  }
  return next_moment;
}

std::string thread_text(const Stamp& stamp) {
  return "block " + std::to_string(stamp.thread / kThreadsPerBlock) + " thread " +
         std::to_string(stamp.thread % kThreadsPerBlock);
}

}  // namespace

struct BlockWatch::One {
  const Warp& warp;
  const Instruction& at;
  const Request& request;
  int lane;
  std::uint64_t address() const { return request.addresses[lane]; }
  std::uint32_t thread() const { return warp.thread(lane); }
  bool is_global() const { return request.mode.where == Where::kGlobal; }
  [[noreturn]] void fail(FaultKind kind, const std::string& detail) const {
    raise(kind, (is_global() ? "global memory: " : "shared memory: ") + detail, warp, at, lane);
  }
};

GridWatch::GridWatch(const Grid& grid, std::uint64_t blocks)
    : options_(grid.options), order_(first_moment()) {
  if (options_.races && blocks > kMostBlocks) {
    throw Fault(FaultKind::kUnsupported,
                "the race check looks at grids of up to " + grouped(kMostBlocks) + " blocks",
                {.kernel = grid.kernel->name, .opcode = {}, .source = {}});
  }
  if (!options_.audit) return;
  audit_.emplace(grid.kernel->name, grid.configuration->dynamic_shared_bytes);
}

GridWatch::~GridWatch() { next_moment = order_.latest() + 1; }

BlockWatch::BlockWatch(GridWatch& grid, const Block& block)
    : grid_(&grid), block_(&block), order_(grid.order(), block.linear, block.threads) {
  if (grid.options().uninitialised) shared_written_.assign(block.shared_bytes, 0);
  if (grid.options().races) shared_stamps_.assign(block.shared_bytes, {});
  if (AuditCounter* audit = grid.audit()) audit->start_block();
}

void BlockWatch::request(const Warp& warp, const Instruction& at, const Request& request) {
  if (AuditCounter* audit = grid_->audit()) audit->request(request);
  for (std::uint32_t rest = request.lanes; rest != 0; rest &= rest - 1) {
    const One one{warp, at, request, std::countr_zero(rest)};
    if (grid_->options().uninitialised) check_written(one);
    if (!grid_->options().races) continue;
    if (one.is_global() && request.mode.strong && !request.mode.within_block) {
      publish_and_take_over(one);
    }
    check_race(one);
  }
}

std::uint8_t* BlockWatch::written_of(const One& one) {
  return one.is_global() ? DeviceMemory::instance().written(one.address())
                         : shared_written_.data() + one.address();
}

void BlockWatch::check_written(const One& one) {
  std::uint8_t* written = written_of(one);
  const std::uint32_t bytes = one.request.bytes;
  if (one.request.mode.access == Access::kWrite) {
    std::memset(written, 1, bytes);
    return;
  }
  const auto* const unwritten = std::find(written, written + bytes, 0);
  if (unwritten == written + bytes) return;
  one.fail(FaultKind::kUninitialised, "read of " + std::to_string(bytes) + " bytes of which byte " +
                                          std::to_string(unwritten - written) +
                                          " was never written");
}

Stamps* BlockWatch::stamps_of(const One& one) {
  return one.is_global() ? global_stamps(one.address()) : shared_stamps_.data() + one.address();
}

void BlockWatch::publish_and_take_over(const One& one) {
  const Mode& mode = one.request.mode;
  const std::uint32_t lane_bit = 1U << one.lane;
  if (mode.access != Access::kRead) {
    if (mode.releases) order_.release(one.warp.index, lane_bit);
    order_.publish(one.thread(), one.address());
  }
  if (mode.access != Access::kWrite) {
    order_.take_over(one.thread(), one.address());
    if (mode.acquires) order_.acquire(one.warp.index, lane_bit);
  }
}

bool BlockWatch::is_before(const Stamp& stamp, std::uint32_t me) const {
  const std::uint32_t block = stamp.thread / kThreadsPerBlock;
  const std::uint32_t thread = stamp.thread % kThreadsPerBlock;
  return (block == block_->linear && order_.is_before(thread, stamp.moment, me)) ||
         order_.is_before(block, thread, stamp.moment, me);
}

bool BlockWatch::is_conflict(const Stamp& other, const Stamp& mine, std::uint32_t me) const {
  if (other.moment <= grid_->order().first()) return false;  // nobody, or a former launch
  if (other.thread == mine.thread) return false;
  const bool same_block = other.thread / kThreadsPerBlock == mine.thread / kThreadsPerBlock;
  const bool reaches = same_block || (other.within_block == 0 && mine.within_block == 0);
  if (other.strong != 0 && mine.strong != 0 && reaches) return false;
  return !is_before(other, me);
}

// A reader that is ordered before this one is covered by it: whoever comes after this one comes
// after both.
void BlockWatch::remember_reader(Stamps& stamps, const Stamp& mine, std::uint32_t me) const {
  for (Stamp& reader : stamps.readers) {
    const bool is_old = reader.moment <= grid_->order().first();
    if (is_old || reader.thread == mine.thread || is_before(reader, me)) {
      reader = mine;
      return;
    }
  }
  stamps.readers[1] = mine;
}

void BlockWatch::check_bytes(const One& one, Stamps& stamps, std::uint32_t byte) {
  Stamp mine;
  mine.thread = block_->linear * kThreadsPerBlock + one.thread();
  mine.moment = order_.now();
  mine.strong = one.request.mode.strong ? 1 : 0;
  mine.within_block = one.request.mode.within_block ? 1 : 0;
  const std::uint32_t me = one.thread();
  const bool writes = one.request.mode.access != Access::kRead;
  const auto report = [&](const char* what, const Stamp& other) {
    one.fail(FaultKind::kRace, std::string("race on byte ") + std::to_string(byte) + ": " +
                                   (writes ? "written" : "read") + " here, " + what + " by " +
                                   thread_text(other) + ", and nothing orders the two");
  };
  for (const Stamp& writer : {stamps.weak_writer, stamps.strong_writer}) {
    if (is_conflict(writer, mine, me)) report("written", writer);
  }
  if (!writes) {
    remember_reader(stamps, mine, me);
    return;
  }
  for (const Stamp& reader : stamps.readers) {
    if (is_conflict(reader, mine, me)) report("read", reader);
  }
  (mine.strong != 0 ? stamps.strong_writer : stamps.weak_writer) = mine;
}

void BlockWatch::check_race(const One& one) {
  Stamps* stamps = stamps_of(one);
  for (std::uint32_t byte = 0; byte < one.request.bytes; ++byte) {
    check_bytes(one, stamps[byte], byte);
  }
}

}  // namespace gk::emulator
