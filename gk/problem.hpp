// SPDX-License-Identifier: Apache-2.0
// What a problem is, and what an implementation gives for it.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gk/tensor.hpp"

struct CUstream_st;  // CUDA's own tag: a CPU-only build needs no CUDA header

namespace gk {

// The queue that a launch goes to: a cudaStream_t on a GPU, null on the CPU.
using Stream = CUstream_st*;

// One coordinate of a problem: an integer ("batch:8") or a word ("epilogue:none").
struct Axis {
  std::string name;
  std::variant<std::int64_t, std::string> value;

  std::string text() const {
    const auto* number = std::get_if<std::int64_t>(&value);
    return name + ":" + (number != nullptr ? std::to_string(*number) : std::get<1>(value));
  }
  bool operator==(const Axis&) const = default;
};

// Which compute roof bounds a problem: a bf16 softmax never sees the tensor cores.
enum class Unit : std::uint8_t { kVector, kMatrix };

constexpr std::string_view name_of(Unit unit) {
  return unit == Unit::kVector ? "vector" : "matrix";
}

// Whether a call finds its operands in memory or in the caches. Two different benchmarks.
enum class Cache : std::uint8_t { kCold, kWarm };

constexpr std::string_view name_of(Cache cache) { return cache == Cache::kCold ? "cold" : "warm"; }

// Compulsory work of one call, the same for every implementation.
struct Work {
  double flops, read_bytes, written_bytes;
  Unit unit;

  double bytes() const { return read_bytes + written_bytes; }
  double intensity() const { return flops / bytes(); }  // FLOP/byte
};

// Only enqueues (a CPU launch simply runs): no allocation, no synchronisation.
using Launch = std::function<void(Stream)>;

// One way to run a problem, built once, bound to many operand sets.
struct Plan {
  std::string detail;                  // algorithm, tile, split: goes into the row
  std::function<Launch(Arena&)> bind;  // untimed: one set's pointers; repacks that set's weights
  // An unfused chain that keeps its intermediate results in the outputs' dtype, as eager
  // frameworks do, rounds more often than a fused kernel; verification allows for that.
  bool stores_intermediates = false;
};

// A polite, loud skip: the message is the reason, in words a user understands.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One element of the truth. `scale` is the S of the tolerance: the sum of the magnitudes that
// were added up to make `value`; `intermediate` the largest magnitude among the results that an
// unfused chain would store on the way (verify.hpp).
struct Expected {
  double value, scale, intermediate = 0;
};

// The truth of one output row, for each output in the order of Arena::outputs().
using ReferenceRow = std::function<std::vector<std::vector<Expected>>(std::int64_t row)>;

struct Sweep;

// Optional: `std::optional<Cache> only_cache() const` where a problem makes sense in one state
// only. A problem is a value: shape and dtype. Its one definition is kernels/<op>/problem.hpp.
template <class P>
concept Problem = requires(const P problem, const Sweep& sweep, Arena& arena) {
  { P::kName } -> std::convertible_to<std::string_view>;
  { P::sweep(sweep) } -> std::same_as<std::vector<P>>;  // empty: the sweep is not for this op
  { problem.axes() } -> std::same_as<std::vector<Axis>>;
  { problem.work() } -> std::same_as<Work>;
  { problem.operands(arena) } -> std::same_as<typename P::Operands>;
  { problem.rows() } -> std::same_as<std::int64_t>;  // output rows (tokens)
  {
    problem.terms()
  } -> std::same_as<std::int64_t>;  // length of the longest sum, for the tolerance
  { problem.reference(arena) } -> std::same_as<ReferenceRow>;
  { problem.dtype } -> std::convertible_to<DType>;
  { problem.roles } -> std::convertible_to<std::vector<std::string>>;
};

}  // namespace gk
