// SPDX-License-Identifier: Apache-2.0
// What the families of plain instructions share: whether an opcode is understood as a whole, and
// the step from a type's name to a C++ type.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "emulator/interpreter/lanes.hpp"

namespace gk::emulator {

inline bool is_plain(const ptx::Operand& operand) {
  return operand.kind != ptx::Operand::Kind::kVector &&
         operand.kind != ptx::Operand::Kind::kAddress && !operand.negated && operand.second < 0;
}

// Every word between the name and the last `types` words is one of `known`: a modifier that is not
// understood must never be passed over. And the operands are plain, that many with the destination.
inline bool understands(const Opcode& opcode, std::size_t operands,
                        std::initializer_list<std::string_view> known, std::size_t types = 1) {
  const auto& statement = opcode.statement();
  const auto& words = statement.opcode;
  if (statement.operands.size() != operands || words.size() < 1 + types) return false;
  return std::all_of(words.begin() + 1, words.end() - static_cast<std::ptrdiff_t>(types),
                     [&](const auto& word) { return std::ranges::count(known, word) != 0; }) &&
         std::ranges::all_of(statement.operands, is_plain);
}

// make.operator()<T>() for the type of that name, or nothing.
template <class Make>
Match with_integer(std::string_view type, Make make) {
  if (type == "s16") return make.template operator()<std::int16_t>();
  if (type == "u16") return make.template operator()<std::uint16_t>();
  if (type == "s32") return make.template operator()<std::int32_t>();
  if (type == "u32") return make.template operator()<std::uint32_t>();
  if (type == "s64") return make.template operator()<std::int64_t>();
  if (type == "u64") return make.template operator()<std::uint64_t>();
  return {};
}
template <class Make>
Match with_bits(std::string_view type, Make make) {
  if (type == "b16") return make.template operator()<std::uint16_t>();
  if (type == "b32") return make.template operator()<std::uint32_t>();
  if (type == "b64") return make.template operator()<std::uint64_t>();
  return {};
}

// Unsigned, so that it wraps, and at least 32 bits wide, so that C++ does not promote it to int.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) < 4, std::uint32_t, std::make_unsigned_t<T>>;

inline bool is_predicate_source(const ptx::Operand& operand) {
  return operand.kind == ptx::Operand::Kind::kRegister ||
         operand.kind == ptx::Operand::Kind::kImmediate;
}

}  // namespace gk::emulator
