// SPDX-License-Identifier: Apache-2.0
#include "gk/registry.hpp"

#include <array>
#include <map>
#include <tuple>

#include "gk/text.hpp"

namespace gk {
namespace {

constexpr std::array<std::string_view, 4> kVendors = {"onednn", "openblas", "cublas", "cudnn"};

// Adds `made` to its block, or only its roles where the block has the same case already.
void merge(std::vector<Case>& block, Case made) {
  const auto same = std::ranges::find(block, made.implementation, &Case::implementation);
  if (same == block.end()) {
    block.push_back(std::move(made));
    return;
  }
  for (std::string& role : made.roles) {
    if (std::ranges::count(same->roles, role) == 0) same->roles.push_back(std::move(role));
  }
}

// Our own implementations come after the vendors' in a block's listing.
auto order_of(const Registered& entry) {
  return std::tuple(
      entry.op, entry.implementation.starts_with("cpu") || entry.implementation.starts_with("cuda"),
      entry.implementation);
}

}  // namespace

std::string Case::problem() const {
  std::vector<std::string> parts{op, std::string(name_of(dtype))};
  for (const Axis& axis : axes) parts.push_back(axis.text());
  return join(parts, "/");
}

std::string Case::name(Cache cache) const {
  const std::string shape = problem().substr(op.size() + 1);
  return op + "/" + implementation + "/" + shape + "/" + std::string(name_of(cache));
}

bool Case::is_vendor() const {
  return std::ranges::any_of(
      kVendors, [this](std::string_view vendor) { return implementation.starts_with(vendor); });
}

std::vector<Registered>& registry() {
  static std::vector<Registered> entries;
  return entries;
}

std::map<std::string, std::string>& library_versions() {
  static std::map<std::string, std::string> versions;
  return versions;
}

std::vector<Case> cases(const Sweep& sweep, Device device) {
  std::vector<Registered> entries = registry();
  std::ranges::stable_sort(entries, {}, order_of);
  // Blocks in the order in which the first implementation of an op swept them.
  std::vector<std::vector<Case>> blocks;
  std::map<std::string, std::size_t> index_of;
  for (const Registered& entry : entries) {
    if (entry.device != device.kind) continue;
    for (Case& made : entry.cases(sweep)) {
      made.device = device;
      const auto [place, is_new] = index_of.emplace(made.problem(), blocks.size());
      if (is_new) blocks.emplace_back();
      merge(blocks[place->second], std::move(made));
    }
  }
  std::vector<Case> all;
  for (auto& block : blocks) std::ranges::move(block, std::back_inserter(all));
  return all;
}

}  // namespace gk
