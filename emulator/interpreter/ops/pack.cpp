// SPDX-License-Identifier: Apache-2.0
// mov between one register and several narrower ones: "mov.b32 {%rs1, %rs2}, %r1" and back. The
// first of the narrow ones is the lowest part.
#include "emulator/interpreter/decode.hpp"
#include "emulator/interpreter/lanes.hpp"

namespace gk::emulator {
namespace {

template <class Wide, class Part>
constexpr int kParts = sizeof(Wide) / sizeof(Part);

template <class Wide, class Part>
Flow split(Warp& warp, const Instruction& at) {
  const Wide* from = lanes_of<Wide>(warp, at.a);
  for (int part = 0; part < kParts<Wide, Part>; ++part) {
    Part* to = to_lanes<Part>(warp, at.to[static_cast<std::size_t>(part)]);
    const int shift = part * static_cast<int>(sizeof(Part)) * 8;
    GK_LANES to[lane] = warp.lane_mask[lane] ? static_cast<Part>(from[lane] >> shift) : to[lane];
  }
  return Flow::kNext;
}

template <class Wide, class Part>
Flow join(Warp& warp, const Instruction& at) {
  Wide* to = to_lanes<Wide>(warp, at.to[0]);
  const Slot parts[] = {at.a, at.b, at.c, at.d};
  alignas(64) Wide joined[kLanes] = {};
  for (int part = 0; part < kParts<Wide, Part>; ++part) {
    const Part* from = lanes_of<Part>(warp, parts[part]);
    const int shift = part * static_cast<int>(sizeof(Part)) * 8;
    GK_LANES joined[lane] |= static_cast<Wide>(static_cast<Wide>(from[lane]) << shift);
  }
  GK_LANES to[lane] = warp.lane_mask[lane] ? joined[lane] : to[lane];
  return Flow::kNext;
}

struct Shape {
  std::string_view type;
  std::size_t parts;
  Handler split, join;
  std::uint8_t part_bytes;
};

constexpr Shape kShapes[] = {
    {"b32", 2, &split<std::uint32_t, std::uint16_t>, &join<std::uint32_t, std::uint16_t>, 2},
    {"b64", 2, &split<std::uint64_t, std::uint32_t>, &join<std::uint64_t, std::uint32_t>, 4},
    {"b64", 4, &split<std::uint64_t, std::uint16_t>, &join<std::uint64_t, std::uint16_t>, 2}};

const Shape* find_shape(const std::string& type, std::size_t parts) {
  for (const Shape& shape : kShapes) {
    if (shape.type == type && shape.parts == parts) return &shape;
  }
  return nullptr;
}

}  // namespace

bool decode_pack(Decoder& decoder, const Opcode& opcode, Instruction& into) {
  if (opcode.name() != "mov" || opcode.operands() != 2) return false;
  const auto is_vector = [](const ptx::Operand& operand) {
    return operand.kind == ptx::Operand::Kind::kVector;
  };
  const bool splits = is_vector(opcode.operand(0));
  if (!splits && !is_vector(opcode.operand(1))) return false;
  const auto& parts = opcode.operand(splits ? 0 : 1).parts;
  const Shape* shape = find_shape(opcode.type(), parts.size());
  if (shape == nullptr) return false;
  into.run = splits ? shape->split : shape->join;
  if (splits) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool is_sink = parts[i].kind == ptx::Operand::Kind::kSink;
      into.to[i] = is_sink ? decoder.sink(shape->part_bytes) : decoder.destination(parts[i]);
      decoder.require(into.to[i], shape->part_bytes);
    }
    into.a = decoder.source(opcode.operand(1),
                            static_cast<std::uint8_t>(shape->parts * shape->part_bytes));
    return true;
  }
  into.to[0] = decoder.destination(opcode.operand(0));
  Slot* const sources[] = {&into.a, &into.b, &into.c, &into.d};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    *sources[i] = decoder.source(parts[i], shape->part_bytes);
    decoder.require(*sources[i], shape->part_bytes);
  }
  return true;
}

}  // namespace gk::emulator
