// SPDX-License-Identifier: Apache-2.0
// ld and st, one to four elements.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <vector>

#include "emulator/interpreter/block.hpp"
#include "emulator/interpreter/decode.hpp"
#include "emulator/interpreter/lanes.hpp"
#include "emulator/interpreter/ops/locate.hpp"

namespace gk::emulator {
namespace {

// Registers may be wider than what is loaded: it is then extended, by its sign where it has one.
template <class Reg, class Mem>
Reg extended(Mem value) {
  return static_cast<Reg>(value);  // NOLINT(bugprone-signed-char-misuse): the sign is wanted
}

template <class Reg, class Mem, int kCount>
Flow load(Warp& warp, const Instruction& at) {
  Located located;
  locate(warp, at, sizeof(Mem) * kCount, located);
  for (int k = 0; k < kCount; ++k) {
    Reg* to = to_lanes<Reg>(warp, at.to[static_cast<std::size_t>(k)]);
    if (located.base != nullptr) {
      const auto* from = reinterpret_cast<const Mem*>(located.base) + k;
      GK_LANES to[lane] = extended<Reg>(from[lane * kCount]);
      continue;
    }
    for (int lane = 0; lane < kLanes; ++lane) {
      if (located.lane[lane] == nullptr) continue;
      to[lane] = extended<Reg>(reinterpret_cast<const Mem*>(located.lane[lane])[k]);
    }
  }
  return Flow::kNext;
}

template <class Reg, class Mem, int kCount>
Flow store(Warp& warp, const Instruction& at) {
  Located located;
  locate(warp, at, sizeof(Mem) * kCount, located);
  for (int k = 0; k < kCount; ++k) {
    const Reg* from = lanes_of<Reg>(warp, at.to[static_cast<std::size_t>(k)]);
    if (located.base != nullptr) {
      auto* to = reinterpret_cast<Mem*>(located.base) + k;
      GK_LANES to[lane * kCount] = static_cast<Mem>(from[lane]);
      continue;
    }
    for (int lane = 0; lane < kLanes; ++lane) {
      if (located.lane[lane] == nullptr) continue;
      reinterpret_cast<Mem*>(located.lane[lane])[k] = static_cast<Mem>(from[lane]);
    }
  }
  return Flow::kNext;
}

// A parameter by its name is the same for all lanes.
template <class Reg, class Mem, int kCount>
Flow load_parameter(Warp& warp, const Instruction& at) {
  const std::vector<std::byte>& parameters = warp.block->grid->configuration->parameters;
  for (int k = 0; k < kCount; ++k) {
    Mem value;
    std::memcpy(&value, parameters.data() + at.displacement + k * sizeof(Mem), sizeof(Mem));
    Reg* to = to_lanes<Reg>(warp, at.to[static_cast<std::size_t>(k)]);
    GK_LANES to[lane] = warp.lane_mask[lane] ? extended<Reg>(value) : to[lane];
  }
  return Flow::kNext;
}

enum class Kind : std::uint8_t { kLoad, kStore, kParameter };

template <class Reg, class Mem, int kCount>
Handler by_kind(Kind kind) {
  if (kind == Kind::kStore) return &store<Reg, Mem, kCount>;
  return kind == Kind::kLoad ? &load<Reg, Mem, kCount> : &load_parameter<Reg, Mem, kCount>;
}

template <class Reg, class Mem>
Handler by_count(Kind kind, int count) {
  if (count == 1) return by_kind<Reg, Mem, 1>(kind);
  return count == 2 ? by_kind<Reg, Mem, 2>(kind) : by_kind<Reg, Mem, 4>(kind);
}

template <class Mem>
Handler by_register(Kind kind, int count, int register_bytes) {
  if constexpr (sizeof(Mem) <= 2) {
    if (register_bytes == 2) return by_count<std::uint16_t, Mem>(kind, count);
  }
  if constexpr (sizeof(Mem) <= 4) {
    if (register_bytes == 4) return by_count<std::uint32_t, Mem>(kind, count);
  }
  if (register_bytes == 8) return by_count<std::uint64_t, Mem>(kind, count);
  return nullptr;
}

Handler by_type(const std::string& type, Kind kind, int count, int register_bytes) {
  const char first = type.front();
  const std::string bits = type.substr(1);
  const bool has_sign = first == 's';
  if (std::string_view("busf").find(first) == std::string_view::npos) return nullptr;
  if (bits == "8") {
    return has_sign ? by_register<std::int8_t>(kind, count, register_bytes)
                    : by_register<std::uint8_t>(kind, count, register_bytes);
  }
  if (bits == "16") {
    return has_sign ? by_register<std::int16_t>(kind, count, register_bytes)
                    : by_register<std::uint16_t>(kind, count, register_bytes);
  }
  if (bits == "32") {
    return has_sign ? by_register<std::int32_t>(kind, count, register_bytes)
                    : by_register<std::uint32_t>(kind, count, register_bytes);
  }
  if (bits == "64") return by_register<std::uint64_t>(kind, count, register_bytes);
  return nullptr;
}

// Words that change nothing here, or are looked at below; each between blanks.
constexpr std::string_view kKnown =
    " ld st global shared shared::cta local param const entry nc v2 v4 "
    "weak volatile relaxed acquire release cta gpu sys "
    "ca cg cs lu cv wb wt L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last "
    "L1::no_allocate L2::64B L2::128B L2::256B L2::cache_hint L2::evict_first L2::evict_last "
    "L2::evict_normal ";

// "v4.b16" moves elements of 2 bytes; 0 where the type is not a number of bits.
std::uint8_t width_of(const std::string& type) {
  int bits = 0;
  std::from_chars(type.data() + 1, type.data() + type.size(), bits);
  return static_cast<std::uint8_t>(bits / 8);
}

// Registers may be wider than what is moved, but are of one width; what is no register is laid out
// like them.
bool bind_elements(Decoder& decoder, const std::vector<ptx::Operand>& elements, std::uint8_t width,
                   bool is_load, Instruction& into) {
  const auto is_register = [](const ptx::Operand& element) {
    return element.kind == ptx::Operand::Kind::kRegister;
  };
  std::uint8_t bytes = std::max<std::uint8_t>(width, 2);
  const auto first = std::ranges::find_if(elements, is_register);
  if (first != elements.end()) bytes = decoder.destination(*first).bytes;
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const bool is_sink = elements[k].kind == ptx::Operand::Kind::kSink;
    into.to[k] = is_sink ? decoder.sink(bytes) : decoder.source(elements[k], bytes);
    decoder.require(into.to[k], bytes);
    if (is_load && into.to[k].constant) return false;
  }
  return true;
}

}  // namespace

bool decode_memory(Decoder& decoder, const Opcode& opcode, Instruction& into) {
  const bool is_store = opcode.name() == "st";
  if (!is_store && opcode.name() != "ld") return false;
  const auto& words = opcode.statement().opcode;
  const bool all_known = std::all_of(words.begin(), words.end() - 1, [](const std::string& word) {
    return kKnown.find(' ' + word + ' ') != std::string_view::npos;
  });
  if (!all_known || opcode.operands() < 2) return false;  // a cache policy may follow: a hint
  const ptx::Operand& value = opcode.operand(is_store ? 1 : 0);
  const bool is_vector = value.kind == ptx::Operand::Kind::kVector;
  const std::vector<ptx::Operand> elements =
      is_vector ? value.parts : std::vector<ptx::Operand>{value};
  if (elements.size() != (opcode.has("v4") ? 4U : opcode.has("v2") ? 2U : 1U)) return false;
  if (!bind_elements(decoder, elements, width_of(opcode.type()), !is_store, into)) return false;
  const Mode mode = mode_of(opcode, is_store ? Access::kWrite : Access::kRead);
  if (is_store && (mode.where == Where::kConst || mode.where == Where::kParam)) return false;
  bind_address(decoder, opcode.operand(is_store ? 0 : 1), mode, into);
  into.kind = Class::kMemory;
  Kind kind = is_store ? Kind::kStore : Kind::kLoad;
  if (!is_store && opcode.has("param")) {
    const auto bytes = static_cast<std::int64_t>(elements.size()) * width_of(opcode.type());
    if (decoder.fold_parameter(into, bytes)) kind = Kind::kParameter;
  }
  into.run = by_type(opcode.type(), kind, static_cast<int>(elements.size()), into.to[0].bytes);
  return into.run != nullptr;
}

}  // namespace gk::emulator
