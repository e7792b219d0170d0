// SPDX-License-Identifier: Apache-2.0
#include "emulator/interpreter/block.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <memory>
#include <numeric>

#include "emulator/checks/watch.hpp"
#include "emulator/interpreter/ops/special_registers.hpp"
#include "emulator/interpreter/ops/synchronise.hpp"
#include "emulator/text.hpp"

namespace gk::emulator {
namespace {

// Warp instructions of one turn. In random order turns are short, so that warps interleave finely.
constexpr std::uint64_t kTurn = 1 << 16;
constexpr std::uint64_t kShortTurn = 64;

// What registers hold that nobody wrote: nothing that a former block left.
constexpr ConstantBytes kNobodysRegisters = [] {
  ConstantBytes made{};
  for (std::byte& byte : made.bytes) byte = std::byte{0xa5};
  return made;
}();

std::uint64_t next_random(std::uint64_t& state) {  // splitmix64
  std::uint64_t z = state += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::size_t position(Order order, std::size_t turn, std::size_t count, std::uint64_t& random) {
  if (order == Order::kForward) return turn;
  if (order == Order::kReverse) return count - 1 - turn;
  return next_random(random) % count;
}

}  // namespace

Block::Block() = default;
Block::~Block() = default;

void Block::start(Grid& of, std::uint32_t which) {
  grid = &of;
  linear = which;
  const LaunchConfiguration& launch = *grid->configuration;
  const Kernel& kernel = *grid->kernel;
  index = {which % launch.grid[0], which / launch.grid[0] % launch.grid[1],
           which / launch.grid[0] / launch.grid[1]};
  threads = live_threads = launch.block[0] * launch.block[1] * launch.block[2];
  barriers = {};

  shared_bytes = shared_bytes_of(kernel, launch.dynamic_shared_bytes);
  shared_storage_.assign(shared_bytes + kSharedAlignment, std::byte{0xff});
  void* start = shared_storage_.data();
  std::size_t room = shared_storage_.size();
  shared = static_cast<std::byte*>(std::align(kSharedAlignment, shared_bytes, start, room));
  local_bytes_ = (kernel.local_bytes + 15) / 16 * 16;  // as aligned as a vector needs
  local_.assign(static_cast<std::size_t>(local_bytes_) * threads, std::byte{0xff});

  const std::uint32_t count = (threads + kLanes - 1) / kLanes;
  const std::size_t pieces = kernel.register_bytes / sizeof(ConstantBytes);
  registers_.resize(pieces * count);
  if (grid->watch != nullptr) std::ranges::fill(registers_, kNobodysRegisters);
  warps.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    warps[i].registers = registers_.data()[pieces * i].bytes;
    start_warp(warps[i], i);
  }
  watch = grid->watch == nullptr ? nullptr : std::make_unique<BlockWatch>(*grid->watch, *this);
}

void Block::start_warp(Warp& warp, std::uint32_t which) {
  const std::uint32_t rest = threads - which * kLanes;
  warp.index = which;
  warp.block = this;
  warp.kernel = grid->kernel;
  warp.constants =
      grid->kernel->constants.empty() ? nullptr : grid->kernel->constants.front().bytes;
  warp.is_watched = grid->watch != nullptr;
  warp.recent = {};
  warp.live = rest >= kLanes ? ~0U : (1U << rest) - 1;
  warp.active = ~warp.live;  // so that activate() below cannot take the short way
  warp.activate(warp.live);
  warp.fragments.assign(1, Fragment{0, warp.live});
  warp.thread_instructions = warp.warp_instructions = 0;
  fill_special_registers(warp);
}

bool Block::run(std::uint64_t budget, std::uint64_t& random) {
  const Order order = grid->options.order;
  const std::uint64_t end = executed_warp_instructions() + budget;
  while (live_threads > 0) {
    bool ran = false;
    for (std::size_t turn = 0; turn < warps.size(); ++turn) {
      Warp& warp = warps[position(order, turn, warps.size(), random)];
      if (!warp.is_ready()) continue;
      warp.run(order == Order::kRandom ? 1 + next_random(random) % kShortTurn
                                       : std::min(kTurn, budget));
      ran = true;
    }
    if (!ran && live_threads > 0) {
      if (std::ranges::any_of(warps, &Warp::is_ready)) continue;  // random order missed it
      report_deadlock();
    }
    if (live_threads > 0 && executed_warp_instructions() >= end) return false;
  }
  return true;
}

std::uint64_t Block::executed_warp_instructions() const {
  return std::accumulate(
      warps.begin(), warps.end(), std::uint64_t{0},
      [](std::uint64_t sum, const Warp& warp) { return sum + warp.warp_instructions; });
}

void Block::arrive(std::uint8_t which, const Arrival& arrival) {
  Barrier& barrier = barriers[which];
  barrier.arrived += arrival.arrived;
  barrier.threads += arrival.threads;
  barrier.expected = arrival.expected;
  barrier.counted += arrival.counted;
}

void Block::settle(std::uint8_t which) {
  Barrier& barrier = barriers[which];
  const std::uint32_t needed = barrier.expected == 0 ? live_threads : barrier.expected;
  if (barrier.arrived == 0 || barrier.arrived < needed) return;
  const std::uint32_t counted = barrier.counted, came = barrier.threads;
  barrier = {};
  for (Warp& warp : warps) release(warp, which, counted, came);
  if (watch) watch->barrier_completed(which);
}

void Block::release(Warp& warp, std::uint8_t which, std::uint32_t counted,
                    std::uint32_t threads_of_barrier) {
  for (Fragment& fragment : warp.fragments) {
    if (fragment.state != Fragment::State::kAtBarrier || fragment.barrier != which) continue;
    fragment.state = Fragment::State::kReady;
    deliver_barrier_result(warp, fragment, counted, threads_of_barrier);
  }
}

void Block::leave(const Warp& warp, std::uint32_t lanes) {
  Warp& left = warps[warp.index];
  left.live &= ~lanes;
  left.wake_gathering();
  live_threads -= static_cast<std::uint32_t>(std::popcount(lanes));
  for (std::size_t which = 0; which < barriers.size(); ++which) {
    if (live_threads > 0 && barriers[which].expected == 0) settle(static_cast<std::uint8_t>(which));
  }
}

void Block::raise_endless() const {
  const auto warp = std::ranges::find_if(warps, &Warp::is_ready);
  if (warp == warps.end()) report_deadlock();
  const auto fragment =
      std::ranges::find(warp->fragments, Fragment::State::kReady, &Fragment::state);
  raise(FaultKind::kDeadlock,
        "no end after " + grouped(grid->options.instruction_limit) +
            " warp instructions: a loop without end, or a wait for what never comes",
        *warp, warp->kernel->code[fragment->pc], std::countr_zero(fragment->lanes));
}

// Lanes that wait for lanes of their own warp say more about the cause than threads at a barrier.
void Block::report_deadlock() const {
  for (const Fragment::State state : {Fragment::State::kGathering, Fragment::State::kAtBarrier}) {
    for (const Warp& warp : warps) {
      for (const Fragment& fragment : warp.fragments) {
        if (fragment.state != state) continue;
        // At a barrier a fragment is already past its instruction.
        const std::uint32_t pc = fragment.pc - (state == Fragment::State::kAtBarrier ? 1 : 0);
        raise_stuck(warp, warp.kernel->code[pc], fragment);
      }
    }
  }
  std::abort();  // threads live, so some fragment exists
}

}  // namespace gk::emulator
