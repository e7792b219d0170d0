// SPDX-License-Identifier: Apache-2.0
#include "emulator/checks/order.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace gk::emulator {
namespace {

constexpr std::uint32_t kLanes = 32;

std::shared_ptr<const Published> later_of(const std::shared_ptr<const Published>& a,
                                          const std::shared_ptr<const Published>& b) {
  auto merged = std::make_shared<Published>(*a);
  for (std::size_t i = 0; i < merged->size(); ++i) (*merged)[i] = std::max((*merged)[i], (*b)[i]);
  return merged;
}

void merge(Known& into, const Known& from) {
  if (!from || into == from) return;
  if (!into) {
    into = from;
    return;
  }
  if (into.use_count() > 1) into = std::make_shared<PublishedByBlock>(*into);
  for (const auto& [block, published] : *from) {
    const auto [entry, is_new] = into->try_emplace(block, published);
    if (!is_new && entry->second != published) entry->second = later_of(entry->second, published);
  }
}

}  // namespace

void GridOrder::publish(std::uint64_t address, const Known& what) {
  merge(published_[address], what);
}

BlockOrder::BlockOrder(GridOrder& grid, std::uint32_t block, std::uint32_t threads)
    : grid_(&grid),
      block_(block),
      now_(grid.first() + 1),
      clocks_((threads + kLanes - 1) / kLanes),
      lanes_(clocks_.size()),
      fenced_(threads),
      fenced_lanes_(threads),
      fenced_at_(threads),
      seen_(threads),
      known_(threads),
      passed_(threads) {}

void BlockOrder::tick() {
  ++now_;
  grid_->advanced_to(now_);
}

void BlockOrder::arrive(std::uint8_t barrier, std::uint32_t warp, std::uint32_t lanes, bool waits) {
  Pending& pending = barriers_[barrier];
  Clock mine = clocks_[warp];
  mine[warp] = now_ + 1;
  for (std::size_t i = 0; i < kWarps; ++i) {
    pending.joined[i] = std::max(pending.joined[i], mine[i]);
  }
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    merge(pending.known,
          known_[warp * kLanes + static_cast<std::uint32_t>(std::countr_zero(rest))]);
  }
  if (waits) pending.waiting_warps |= 1U << warp;
  tick();
  join_lanes(warp, lanes);
}

void BlockOrder::complete(std::uint8_t barrier) {
  const Pending done = std::exchange(barriers_[barrier], {});
  for (std::uint32_t rest = done.waiting_warps; rest != 0; rest &= rest - 1) {
    const auto warp = static_cast<std::size_t>(std::countr_zero(rest));
    for (std::size_t i = 0; i < kWarps; ++i) {
      clocks_[warp][i] = std::max(clocks_[warp][i], done.joined[i]);
    }
    const std::size_t end = std::min(known_.size(), (warp + 1) * kLanes);
    for (std::size_t thread = warp * kLanes; thread < end; ++thread) {
      merge(known_[thread], done.known);
    }
  }
  tick();
}

void BlockOrder::join_lanes(std::uint32_t warp, std::uint32_t lanes) {
  auto& before = lanes_[warp];
  Known known;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    merge(known, known_[warp * kLanes + static_cast<std::uint32_t>(std::countr_zero(rest))]);
  }
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto mine = static_cast<std::uint32_t>(std::countr_zero(rest));
    known_[warp * kLanes + mine] = known;
    Moment* row = before.data() + mine * kLanes;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      if ((lanes >> lane & 1U) != 0) row[lane] = now_ + 1;
    }
  }
  tick();
}

void BlockOrder::release(std::uint32_t warp, std::uint32_t lanes) {
  has_released_ = true;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint32_t thread = warp * kLanes + lane;
    fenced_[thread] = clocks_[warp];
    std::copy_n(lanes_[warp].begin() + lane * kLanes, kLanes, fenced_lanes_[thread].begin());
    fenced_at_[thread] = now_ + 1;
    passed_[thread] = known_[thread];
  }
  tick();
}

void BlockOrder::acquire(std::uint32_t warp, std::uint32_t lanes) {
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const std::uint32_t thread = warp * kLanes + static_cast<std::uint32_t>(std::countr_zero(rest));
    merge(known_[thread], std::exchange(seen_[thread], {}));
  }
}

// Published: what the thread did before its fence; what it knew, at its fence, that others had
// done; and what others fenced themselves before this one came to know of it by a barrier.
void BlockOrder::publish(std::uint32_t thread, std::uint64_t address) {
  if (!has_released_) return;
  auto published = std::make_shared<Published>(fenced_.size());
  const std::uint32_t warp = thread / kLanes, lane = thread % kLanes;
  for (std::uint32_t other = 0; other < published->size(); ++other) {
    const std::uint32_t its_warp = other / kLanes, its_lane = other % kLanes;
    const bool is_near = its_warp == warp;
    const Moment known = is_near ? lanes_[warp][lane * kLanes + its_lane] : clocks_[warp][its_warp];
    const Moment by_my_fence =
        is_near ? fenced_lanes_[thread][its_lane] : fenced_[thread][its_warp];
    (*published)[other] = std::max(std::min(fenced_at_[other], known), by_my_fence);
  }
  (*published)[thread] = fenced_at_[thread];
  auto mine = std::make_shared<PublishedByBlock>();
  mine->emplace(block_, std::move(published));
  grid_->publish(address, mine);
  grid_->publish(address, passed_[thread]);  // of other blocks: what it took over before its fence
  tick();
}

void BlockOrder::take_over(std::uint32_t thread, std::uint64_t address) {
  merge(seen_[thread], grid_->at(address));
}

bool BlockOrder::is_before(std::uint32_t thread, Moment then, std::uint32_t me) const {
  const std::uint32_t warp = me / kLanes;
  const std::uint32_t its_warp = thread / kLanes;
  if (thread == me) return true;
  if (its_warp == warp) {
    return then < lanes_[warp][(me % kLanes) * kLanes + thread % kLanes];
  }
  return then < clocks_[warp][its_warp];
}

bool BlockOrder::is_before(std::uint32_t block, std::uint32_t thread, Moment then,
                           std::uint32_t me) const {
  const Known& known = known_[me];
  if (!known) return false;
  const auto found = known->find(block);
  return found != known->end() && then < (*found->second)[thread];
}

}  // namespace gk::emulator
