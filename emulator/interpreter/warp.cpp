// SPDX-License-Identifier: Apache-2.0
#include "emulator/interpreter/warp.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "emulator/checks/watch.hpp"
#include "emulator/interpreter/block.hpp"

namespace gk::emulator {
namespace {

// A fragment that loops for longer lets the others of its warp go first: they may be what it
// waits for.
constexpr std::uint32_t kSlice = 4096;
constexpr std::uint32_t kNoMeeting = std::numeric_limits<std::uint32_t>::max();

bool can_run(const Fragment& fragment) { return fragment.state == Fragment::State::kReady; }

}  // namespace

bool Warp::is_ready() const { return std::ranges::any_of(fragments, can_run); }

void Warp::wake_gathering() {
  for (Fragment& fragment : fragments) {
    if (fragment.state == Fragment::State::kGathering) fragment.state = Fragment::State::kReady;
  }
}

// The ready fragment with the lowest pc; one that used its slice up only when all others did.
Fragment* Warp::choose() {
  Fragment* best = nullptr;
  const auto rank = [](const Fragment& fragment) {
    return std::pair(fragment.used >= kSlice, fragment.pc);
  };
  for (Fragment& fragment : fragments) {
    if (can_run(fragment) && (best == nullptr || rank(fragment) < rank(*best))) best = &fragment;
  }
  if (best != nullptr && best->used >= kSlice) {
    for (Fragment& fragment : fragments) fragment.used = 0;
  }
  return best;
}

// Fragments at the same instruction are one again.
void Warp::merge_into(Fragment& chosen) {
  for (Fragment& other : fragments) {
    if (&other == &chosen || other.pc != chosen.pc) continue;
    if (other.state == Fragment::State::kAtBarrier) continue;
    chosen.lanes |= std::exchange(other.lanes, 0);
  }
  const std::uint32_t pc = chosen.pc;
  std::erase_if(fragments, [](const Fragment& fragment) { return fragment.lanes == 0; });
  const auto found = std::ranges::find_if(
      fragments, [pc](const Fragment& fragment) { return fragment.pc == pc && can_run(fragment); });
  std::iter_swap(fragments.begin(), found);
}

// Where the running fragment may meet another one on its way down.
std::uint32_t Warp::next_meeting(const Fragment& running) const {
  std::uint32_t meeting = kNoMeeting;
  for (const Fragment& other : fragments) {
    if (&other == &running || other.state == Fragment::State::kAtBarrier) continue;
    if (other.pc > running.pc) meeting = std::min(meeting, other.pc);
  }
  return meeting;
}

bool Warp::branch(Fragment& running, const Instruction& at) {
  const std::uint32_t staying = running.lanes & ~active;
  const bool backwards = at.target <= running.pc;
  Fragment taken{at.target, active};
  taken.used = running.used;
  if (staying == 0) {
    running.pc = at.target;
    return fragments.size() > 1 && backwards;
  }
  running.lanes = staying;
  ++running.pc;
  fragments.push_back(taken);
  return true;
}

bool Warp::follow(Flow flow, Fragment& running, const Instruction& at, std::uint32_t meeting) {
  switch (flow) {
    case Flow::kNext:
      ++running.pc;
      break;
    case Flow::kBranch:
      if (branch(running, at)) return true;
      break;
    case Flow::kExit: {
      const std::uint32_t ending = active;
      running.lanes &= ~ending;
      ++running.pc;
      block->leave(*this, ending);
      if (fragments.front().lanes == 0) {
        fragments.erase(fragments.begin());
        return true;
      }
      break;
    }
    case Flow::kGather:
      running.state = Fragment::State::kGathering;
      return true;
    case Flow::kBlocked: {
      // A guard may hold some lanes back: they go on without waiting.
      const std::uint32_t passing = running.lanes & ~active;
      ++running.pc;
      running.lanes = active;
      running.state = Fragment::State::kAtBarrier;
      running.barrier = pending_barrier;
      const std::uint32_t pc = running.pc;
      if (passing != 0) fragments.push_back({pc, passing});
      block->settle(pending_barrier);
      return true;
    }
  }
  return running.pc >= meeting;
}

// Groups of lanes that were complete executed the instruction; the others stay and gather.
bool Warp::leave_behind(Fragment& running) {
  Fragment waiting{running.pc, std::exchange(held_back, 0)};
  waiting.state = Fragment::State::kGathering;
  running.lanes &= ~waiting.lanes;
  ++running.pc;
  fragments.push_back(waiting);
  return true;
}

bool Warp::step(Fragment& running, std::uint32_t meeting) {
  const Instruction& at = kernel->code[running.pc];
  std::uint32_t lanes = running.lanes;
  ++warp_instructions;
  thread_instructions += static_cast<std::uint64_t>(std::popcount(lanes));
  if (at.guard >= 0) {
    const std::uint32_t guard = *reinterpret_cast<const std::uint32_t*>(registers + at.guard);
    lanes &= at.guard_negated ? ~guard : guard;
    if (lanes == 0) return ++running.pc >= meeting;
  }
  present = running.lanes;
  activate(lanes);
  const Flow flow = at.run(*this, at);
  if (held_back != 0) return leave_behind(running);
  if (is_watched && flow != Flow::kGather) block->watch->executed(*this, at);
  return follow(flow, running, at, meeting);
}

void Warp::run(std::uint64_t budget) {
  const std::uint64_t end = warp_instructions + budget;
  while (Fragment* chosen = choose()) {
    merge_into(*chosen);
    if (fragments.size() == 1) {
      run_alone(end);
    } else {
      run_among_others(end);
    }
    if (warp_instructions >= end) return;
  }
}

void Warp::run_alone(std::uint64_t end) {
  while (!step(fragments.front(), kNoMeeting) && warp_instructions < end) {
  }
}

// However it stops: what a fragment executed counts for its slice. Its parts inherit that.
void Warp::run_among_others(std::uint64_t end) {
  const std::uint32_t meeting = next_meeting(fragments.front());
  do {
    if (++fragments.front().used >= kSlice) {
      step(fragments.front(), meeting);
      return;
    }
  } while (!step(fragments.front(), meeting) && warp_instructions < end);
}

}  // namespace gk::emulator
