// SPDX-License-Identifier: Apache-2.0
// setp and set. A predicate is a mask with a bit per lane.
#include <functional>
#include <optional>

#include "emulator/interpreter/ops/half_formats.hpp"
#include "emulator/interpreter/ops/select.hpp"

namespace gk::emulator {
namespace {

using U32 = std::uint32_t;

// Ordered comparisons are false where NaN takes part; the unordered ones (kNot) are the opposites
// of ordered ones, and so true.
struct Equal {
  template <class T>
  bool operator()(T a, T b) const {
    return a == b;
  }
};
struct Less {
  template <class T>
  bool operator()(T a, T b) const {
    return a < b;
  }
};
struct LessEqual {
  template <class T>
  bool operator()(T a, T b) const {
    return a <= b;
  }
};
struct Different {
  template <class T>
  bool operator()(T a, T b) const {
    return bool(int(a < b) | int(a > b));
  }
};
struct Numbers {
  template <class T>
  bool operator()(T a, T b) const {
    return bool(int(a == a) & int(b == b));
  }
};

// How a lane of a register is read.
template <class T>
struct AsIs {
  using Lane = T;
  static T read(T lane) { return lane; }
};
struct AsFlushed {
  using Lane = float;
  static float read(float lane) { return flush(lane); }
};
template <class Half>
struct AsHalf {
  using Lane = std::uint16_t;
  static float read(std::uint16_t lane) { return Half::widen(lane); }
};

// All 32 lanes' results, whether the lanes are active or not. Not inlined: it serves a dozen
// handlers.
using Comparison = U32 (*)(const Warp&, const Instruction&);
template <class F, class As, bool kSwap, bool kNot>
[[gnu::noinline]] U32 compare(const Warp& warp, const Instruction& i) {
  using Lane = typename As::Lane;
  const Lane* a = lanes_of<Lane>(warp, kSwap ? i.b : i.a);
  const Lane* b = lanes_of<Lane>(warp, kSwap ? i.a : i.b);
  U32 lanes = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    lanes |= (F{}(As::read(a[lane]), As::read(b[lane])) ? 1U : 0U) << lane;
  }
  return kNot ? ~lanes : lanes;
}

struct Alone {
  U32 operator()(U32 compared, U32) const { return compared; }
};
template <class Combine>
U32 combined(const Warp& warp, const Instruction& i, U32 compared) {
  if constexpr (std::is_same_v<Combine, Alone>) return compared;
  return Combine{}(compared, predicate_of(warp, i.c));
}

template <Comparison kCompare, class Combine>
Flow set_predicates(Warp& warp, const Instruction& i) {
  const U32 compared = kCompare(warp, i);
  const U32 p = combined<Combine>(warp, i, compared);
  const U32 q = combined<Combine>(warp, i, ~compared);
  set_predicate(warp, i.to[0], p);
  if (i.to[1].bytes != 0) set_predicate(warp, i.to[1], q);
  return Flow::kNext;
}

// set: all ones, or 1.0, where it holds.
template <Comparison kCompare, U32 kTrue>
Flow set_lanes(Warp& warp, const Instruction& i) {
  const U32 p = kCompare(warp, i);
  U32* to = to_lanes<U32>(warp, i.to[0]);
  GK_LANES {
    const U32 value = ((p >> lane) & 1) != 0 ? kTrue : 0;
    to[lane] = warp.lane_mask[lane] != 0 ? value : to[lane];
  }
  return Flow::kNext;
}

// Which handler of a comparison is wanted.
struct Wanted {
  bool predicate, one;  // setp; else set, with 1.0 or with ones
  std::string_view combine;
};

template <Comparison kCompare>
Handler handler_for(const Wanted& wanted) {
  if (!wanted.predicate) {
    return wanted.one ? &set_lanes<kCompare, 0x3F800000> : &set_lanes<kCompare, ~0U>;
  }
  if (wanted.combine == "and") return &set_predicates<kCompare, std::bit_and<>>;
  if (wanted.combine == "or") return &set_predicates<kCompare, std::bit_or<>>;
  if (wanted.combine == "xor") return &set_predicates<kCompare, std::bit_xor<>>;
  return &set_predicates<kCompare, Alone>;
}

template <class As>
Handler integer_comparison(std::string_view word, const Wanted& wanted) {
  constexpr bool kUnsigned = std::is_unsigned_v<typename As::Lane>;
  if (word == "eq") return handler_for<&compare<Equal, As, false, false>>(wanted);
  if (word == "ne") return handler_for<&compare<Equal, As, false, true>>(wanted);
  if (word == "lt" || (kUnsigned && word == "lo")) {
    return handler_for<&compare<Less, As, false, false>>(wanted);
  }
  if (word == "le" || (kUnsigned && word == "ls")) {
    return handler_for<&compare<LessEqual, As, false, false>>(wanted);
  }
  if (word == "gt" || (kUnsigned && word == "hi")) {
    return handler_for<&compare<Less, As, true, false>>(wanted);
  }
  if (word == "ge" || (kUnsigned && word == "hs")) {
    return handler_for<&compare<LessEqual, As, true, false>>(wanted);
  }
  return nullptr;
}

template <class As>
Handler float_comparison(std::string_view word, const Wanted& wanted) {
  if (word == "eq") return handler_for<&compare<Equal, As, false, false>>(wanted);
  if (word == "neu") return handler_for<&compare<Equal, As, false, true>>(wanted);
  if (word == "ne") return handler_for<&compare<Different, As, false, false>>(wanted);
  if (word == "equ") return handler_for<&compare<Different, As, false, true>>(wanted);
  if (word == "lt") return handler_for<&compare<Less, As, false, false>>(wanted);
  if (word == "geu") return handler_for<&compare<Less, As, false, true>>(wanted);
  if (word == "le") return handler_for<&compare<LessEqual, As, false, false>>(wanted);
  if (word == "gtu") return handler_for<&compare<LessEqual, As, false, true>>(wanted);
  if (word == "gt") return handler_for<&compare<Less, As, true, false>>(wanted);
  if (word == "leu") return handler_for<&compare<Less, As, true, true>>(wanted);
  if (word == "ge") return handler_for<&compare<LessEqual, As, true, false>>(wanted);
  if (word == "ltu") return handler_for<&compare<LessEqual, As, true, true>>(wanted);
  if (word == "num") return handler_for<&compare<Numbers, As, false, false>>(wanted);
  if (word == "nan") return handler_for<&compare<Numbers, As, false, true>>(wanted);
  return nullptr;
}

struct Compared {
  Handler run = nullptr;
  std::uint8_t bytes = 0;
};
Compared comparison(std::string_view word, std::string_view type, bool ftz, const Wanted& wanted) {
  if (type == "f32") {
    return {ftz ? float_comparison<AsFlushed>(word, wanted)
                : float_comparison<AsIs<float>>(word, wanted),
            4};
  }
  if (ftz) return {};
  if (type == "f64") return {float_comparison<AsIs<double>>(word, wanted), 8};
  if (type == "f16") return {float_comparison<AsHalf<F16>>(word, wanted), 2};
  if (type == "bf16") return {float_comparison<AsHalf<Bf16>>(word, wanted), 2};
  Compared found;
  const auto make = [&]<class T>() {
    found = {integer_comparison<AsIs<T>>(word, wanted), sizeof(T)};
    return Match{};
  };
  with_integer(type, make);
  if (word == "eq" || word == "ne") with_bits(type, make);
  return found;
}

// The words of "setp.lt.and.ftz.f32", or of set with its two types, between name and types.
struct Words {
  std::string_view compare, combine;
  bool ftz = false;
};
std::optional<Words> words_of(const Opcode& opcode, std::size_t types) {
  const auto& all = opcode.statement().opcode;
  if (all.size() < 2 + types) return std::nullopt;
  Words words{.compare = all[1], .combine = {}};
  for (std::size_t i = 2; i + types < all.size(); ++i) {
    if (all[i] == "ftz") {
      words.ftz = true;
    } else if (words.combine.empty() && (all[i] == "and" || all[i] == "or" || all[i] == "xor")) {
      words.combine = all[i];
    } else {
      return std::nullopt;
    }
  }
  const std::size_t operands = words.combine.empty() ? 3 : 4;
  if (opcode.operands() != operands || !is_plain(opcode.operand(1)) ||
      !is_plain(opcode.operand(2)) || (operands == 4 && !is_predicate_source(opcode.operand(3)))) {
    return std::nullopt;
  }
  return words;
}

Match find_set(const Opcode& opcode, bool predicate) {
  const auto words = words_of(opcode, predicate ? 1 : 2);
  if (!words) return {};
  if (!predicate && (!is_plain(opcode.operand(0)) || !words->combine.empty())) return {};
  const std::string_view to = predicate ? "pred" : opcode.type(1);
  if (!predicate && to != "u32" && to != "s32" && to != "f32") return {};
  const Compared found =
      comparison(words->compare, opcode.type(), words->ftz,
                 {.predicate = predicate, .one = to == "f32", .combine = words->combine});
  return {found.run, found.bytes, found.bytes, 4, Class::kInteger};
}

}  // namespace

Match find_compare(const Opcode& opcode) {
  const std::string& name = opcode.name();
  if (name == "setp" || name == "set") return find_set(opcode, name == "setp");
  return find_select(opcode);
}

}  // namespace gk::emulator
