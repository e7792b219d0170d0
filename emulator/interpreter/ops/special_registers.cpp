// SPDX-License-Identifier: Apache-2.0
#include "emulator/interpreter/ops/special_registers.hpp"

#include <algorithm>

#include "emulator/interpreter/block.hpp"

namespace gk::emulator {
namespace {

using Value = std::uint32_t (*)(const Warp& warp, std::uint32_t lane);

const std::array<std::uint32_t, 3>& block_shape(const Warp& warp) {
  return warp.block->grid->configuration->block;
}
const std::array<std::uint32_t, 3>& grid_shape(const Warp& warp) {
  return warp.block->grid->configuration->grid;
}
std::uint32_t linear_thread(const Warp& warp, std::uint32_t lane) {
  return warp.index * kLanes + lane;
}

struct Entry {
  std::string_view name;
  Value value;
};

constexpr Entry kEntries[] = {
    {"%tid.x",
     [](const Warp& w, std::uint32_t lane) { return linear_thread(w, lane) % block_shape(w)[0]; }},
    {"%tid.y",
     [](const Warp& w, std::uint32_t lane) {
       return linear_thread(w, lane) / block_shape(w)[0] % block_shape(w)[1];
     }},
    {"%tid.z",
     [](const Warp& w, std::uint32_t lane) {
       return linear_thread(w, lane) / block_shape(w)[0] / block_shape(w)[1];
     }},
    {"%ntid.x", [](const Warp& w, std::uint32_t) { return block_shape(w)[0]; }},
    {"%ntid.y", [](const Warp& w, std::uint32_t) { return block_shape(w)[1]; }},
    {"%ntid.z", [](const Warp& w, std::uint32_t) { return block_shape(w)[2]; }},
    {"%ctaid.x", [](const Warp& w, std::uint32_t) { return w.block->index[0]; }},
    {"%ctaid.y", [](const Warp& w, std::uint32_t) { return w.block->index[1]; }},
    {"%ctaid.z", [](const Warp& w, std::uint32_t) { return w.block->index[2]; }},
    {"%nctaid.x", [](const Warp& w, std::uint32_t) { return grid_shape(w)[0]; }},
    {"%nctaid.y", [](const Warp& w, std::uint32_t) { return grid_shape(w)[1]; }},
    {"%nctaid.z", [](const Warp& w, std::uint32_t) { return grid_shape(w)[2]; }},
    {"%laneid", [](const Warp&, std::uint32_t lane) { return lane; }},
    {"%warpid", [](const Warp& w, std::uint32_t) { return w.index; }},
    {"%lanemask_eq", [](const Warp&, std::uint32_t lane) { return 1U << lane; }},
    {"%lanemask_lt", [](const Warp&, std::uint32_t lane) { return (1U << lane) - 1; }},
    {"%lanemask_le", [](const Warp&, std::uint32_t lane) { return (2U << lane) - 1; }},
    {"%lanemask_gt", [](const Warp&, std::uint32_t lane) { return ~((2U << lane) - 1); }},
    {"%lanemask_ge", [](const Warp&, std::uint32_t lane) { return ~((1U << lane) - 1); }},
};

const Entry* find(std::string_view name) {
  const auto* const found = std::ranges::find(kEntries, name, &Entry::name);
  return found == std::end(kEntries) ? nullptr : found;
}

}  // namespace

std::uint8_t special_register_bytes(std::string_view name) {
  return find(name) == nullptr ? 0 : sizeof(std::uint32_t);
}

void fill_special_registers(Warp& warp) {
  for (const SpecialRegister& special : warp.kernel->special) {
    const Value value = find(special.name)->value;
    auto* lanes = reinterpret_cast<std::uint32_t*>(warp.registers + special.offset);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) lanes[lane] = value(warp, lane);
  }
}

}  // namespace gk::emulator
