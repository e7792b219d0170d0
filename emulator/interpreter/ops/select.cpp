// SPDX-License-Identifier: Apache-2.0
// Selections by a predicate or a sign, and tests for a class of number.
#include "emulator/interpreter/ops/select.hpp"

#include "emulator/interpreter/ops/floating.hpp"

namespace gk::emulator {
namespace {

using U32 = std::uint32_t;

template <class T>
Flow select(Warp& warp, const Instruction& i) {
  T* to = to_lanes<T>(warp, i.to[0]);
  const T *a = lanes_of<T>(warp, i.a), *b = lanes_of<T>(warp, i.b);
  const U32 p = predicate_of(warp, i.c);
  GK_LANES {
    const T value = ((p >> lane) & 1) != 0 ? a[lane] : b[lane];
    to[lane] = warp.lane_mask[lane] != 0 ? value : to[lane];
  }
  return Flow::kNext;
}

// slct: by the sign of c; a NaN selects b, and so does -1, but -0 selects a.
struct SelectBySign {
  template <class T, class C>
  T operator()(T a, T b, C c) const {
    return c >= 0 ? a : b;
  }
};

// make.operator()<T>() with the unsigned type of the same width.
template <class Make>
Match with_width(std::string_view type, Make make) {
  if (type == "f32") return make.template operator()<std::uint32_t>();
  if (type == "f64") return make.template operator()<std::uint64_t>();
  const Match bits = with_bits(type, make);
  if (bits) return bits;
  return with_integer(
      type, [&]<class T>() { return make.template operator()<std::make_unsigned_t<T>>(); });
}

Match find_selp(const Opcode& opcode) {
  if (opcode.statement().opcode.size() != 2 || opcode.operands() != 4 ||
      !is_plain(opcode.operand(0)) || !is_plain(opcode.operand(1)) ||
      !is_plain(opcode.operand(2)) || !is_predicate_source(opcode.operand(3))) {
    return {};
  }
  return with_width(opcode.type(), []<class T>() {
    return Match{&select<T>, sizeof(T), sizeof(T), 4, Class::kInteger};
  });
}

Match find_slct(const Opcode& opcode) {
  if (!understands(opcode, 4, {}, 2)) return {};
  return with_width(opcode.type(1), [&]<class T>() -> Match {
    if (opcode.type() == "s32") {
      return match_ternary<T, T, T, std::int32_t, SelectBySign>(Class::kInteger);
    }
    if (opcode.type() != "f32") return {};
    return match_ternary<T, T, T, float, SelectBySign>(Class::kFloat);
  });
}

// testp: by the class of a number.
template <class T>
int class_of(T x) {
  return std::fpclassify(x);
}
template <class T, unsigned kClasses>
Flow test_class(Warp& warp, const Instruction& i) {
  const T* a = lanes_of<T>(warp, i.a);
  U32 lanes = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    lanes |= ((kClasses >> class_of(a[lane])) & 1) << lane;
  }
  set_predicate(warp, i.to[0], lanes);
  return Flow::kNext;
}
template <class T>
Handler class_test(const Opcode& opcode) {
  constexpr unsigned kNormal = 1U << FP_NORMAL, kSubnormal = 1U << FP_SUBNORMAL;
  constexpr unsigned kFinite = kNormal | kSubnormal | 1U << FP_ZERO;
  if (opcode.has("finite")) return &test_class<T, kFinite>;
  if (opcode.has("infinite")) return &test_class<T, 1U << FP_INFINITE>;
  if (opcode.has("number")) return &test_class<T, kFinite | 1U << FP_INFINITE>;
  if (opcode.has("notanumber")) return &test_class<T, 1U << FP_NAN>;
  if (opcode.has("normal")) return &test_class<T, kNormal>;
  return &test_class<T, kSubnormal>;
}
Match find_testp(const Opcode& opcode) {
  if (opcode.statement().opcode.size() != 3 ||
      !understands(opcode, 2,
                   {"finite", "infinite", "number", "notanumber", "normal", "subnormal"})) {
    return {};
  }
  if (opcode.type() == "f32") return {class_test<float>(opcode), 4, 0, 0, Class::kFloat};
  if (opcode.type() == "f64") return {class_test<double>(opcode), 8, 0, 0, Class::kFloat};
  return {};
}

}  // namespace

Match find_select(const Opcode& opcode) {
  const std::string& name = opcode.name();
  if (name == "selp") return find_selp(opcode);
  if (name == "slct") return find_slct(opcode);
  if (name == "testp") return find_testp(opcode);
  return {};
}

}  // namespace gk::emulator
