// SPDX-License-Identifier: Apache-2.0
// Implementations that fail in every way that the command line must survive: y = x, or not.
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <thread>

#include "gk/registry.hpp"

namespace gk::fakes {
namespace {

struct Faulty {
  static constexpr std::string_view kName = "faulty";
  struct Operands {
    Tensor x, y;
  };
  DType dtype;
  std::int64_t size;
  std::vector<std::string> roles;

  static std::vector<Faulty> sweep(const Sweep& sweep) {
    if (!sweep.shapes.empty()) return {};
    return {{DType::kF32, 1 << 16, {}}};
  }
  std::vector<Axis> axes() const { return {{"size", size}}; }
  Work work() const {
    const auto bytes = static_cast<double>(bytes_of(dtype, size));
    return {static_cast<double>(size), bytes, bytes, Unit::kVector};
  }
  Operands operands(Arena& arena) const {
    return {arena.input("x", dtype, 1, size), arena.output("y", dtype, 1, size)};
  }
  std::int64_t rows() const { return 1; }
  std::int64_t terms() const { return 1; }
  ReferenceRow reference(Arena& arena) const {
    return [set = operands(arena)](std::int64_t row) {
      std::vector<Expected> y;
      for (std::int64_t i = 0; i < set.x.cols; ++i) {
        const double value = element(set.x, row, i);
        y.push_back({value, std::abs(value)});
      }
      return std::vector<std::vector<Expected>>{y};
    };
  }
};

using Spoil = void (*)(float* y, int call);

std::function<std::vector<Plan>(const Faulty&)> copies_and(Spoil spoil) {
  return [spoil](const Faulty& problem) {
    return std::vector<Plan>{{"copy", [=](Arena& arena) -> Launch {
                                const auto set = problem.operands(arena);
                                static int calls = 0;
                                return [=](Stream) {
                                  std::copy_n(set.x.as<float>(), set.x.size(), set.y.as<float>());
                                  spoil(set.y.as<float>(), ++calls);
                                };
                              }}};
  };
}

void nothing(float*, int) {}
void wrong(float* y, int) { y[100] += 1; }
void not_a_number(float* y, int) { y[7] = std::numeric_limits<float>::quiet_NaN(); }
void second_run(float* y, int call) { y[0] += call > 1 ? 1.0F : 0.0F; }
void throwing(float*, int) { throw std::runtime_error("the kernel failed to launch"); }
void hanging(float*, int) { std::this_thread::sleep_for(std::chrono::hours(1)); }

std::vector<Plan> unsupported(const Faulty&) { throw Unsupported("needs another machine"); }

const Implementation<Faulty> kRight{"cpu_right", DeviceKind::kCpu, copies_and(nothing)};
const Implementation<Faulty> kWrong{"cpu_wrong", DeviceKind::kCpu, copies_and(wrong)};
const Implementation<Faulty> kNaN{"cpu_nan", DeviceKind::kCpu, copies_and(not_a_number)};
const Implementation<Faulty> kSecond{"cpu_second_run", DeviceKind::kCpu, copies_and(second_run)};
const Implementation<Faulty> kThrows{"cpu_throwing", DeviceKind::kCpu, copies_and(throwing)};
const Implementation<Faulty> kHangs{"cpu_hanging", DeviceKind::kCpu, copies_and(hanging)};
const Implementation<Faulty> kRefuses{"cpu_unsupported", DeviceKind::kCpu, unsupported};

}  // namespace
}  // namespace gk::fakes
