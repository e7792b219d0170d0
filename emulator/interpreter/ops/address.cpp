// SPDX-License-Identifier: Apache-2.0
// cvta and isspacep: between a space's own addresses and generic ones. Global and constant memory
// lie in the generic space as they are; the others have a window each.
#include <functional>
#include <utility>

#include "emulator/interpreter/block.hpp"
#include "emulator/interpreter/decode.hpp"
#include "emulator/interpreter/lanes.hpp"

namespace gk::emulator {
namespace {

constexpr std::pair<std::string_view, std::uint64_t> kWindows[] = {{"shared", kSharedWindow},
                                                                   {"shared::cta", kSharedWindow},
                                                                   {"local", kLocalWindow},
                                                                   {"param", kParamWindow},
                                                                   {"param::entry", kParamWindow},
                                                                   {"global", 0},
                                                                   {"const", 0}};

Flow add_window(Warp& warp, const Instruction& at) {
  return binary<std::uint64_t, std::uint64_t, std::uint64_t, std::plus<>>(warp, at);
}
Flow remove_window(Warp& warp, const Instruction& at) {
  return binary<std::uint64_t, std::uint64_t, std::uint64_t, std::minus<>>(warp, at);
}

// b: the window's begin; 0 for global memory, which is what lies in no window.
Flow is_in_space(Warp& warp, const Instruction& at) {
  const auto* a = lanes_of<std::uint64_t>(warp, at.a);
  const auto* b = lanes_of<std::uint64_t>(warp, at.b);
  std::uint32_t holds = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    const bool inside = b[lane] == 0 ? a[lane] < kSharedWindow : a[lane] - b[lane] < kWindowBytes;
    if (inside) holds |= 1U << lane;
  }
  set_predicate(warp, at.to[0], holds);
  return Flow::kNext;
}

}  // namespace

bool decode_address(Decoder& decoder, const Opcode& opcode, Instruction& into) {
  const bool asks = opcode.name() == "isspacep";
  if (!asks && (opcode.name() != "cvta" || opcode.type() != "u64")) return false;
  for (const auto& [space, window] : kWindows) {
    if (!opcode.has(space)) continue;
    into.to[0] = decoder.destination(opcode.operand(0));
    if (asks) {
      decoder.require_predicate(into.to[0]);
    } else {
      decoder.require(into.to[0], 8);
    }
    into.a = decoder.require(decoder.source(opcode.operand(1), 8), 8);
    into.b = decoder.constant(window, 8);
    into.run = asks ? &is_in_space : opcode.has("to") ? &remove_window : &add_window;
    return true;
  }
  return false;
}

}  // namespace gk::emulator
