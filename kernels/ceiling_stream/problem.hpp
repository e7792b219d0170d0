// SPDX-License-Identifier: Apache-2.0
// ceiling_stream: the fastest that `reads` input streams and `writes` output streams can move.
// Every written stream holds the sum of the read ones; without writes, y is a running maximum.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gk/problem.hpp"
#include "gk/sweep.hpp"

namespace gk::ceiling_stream {

// Columns of every stream, and of the small output of a read-only one: its element [0, c] is the
// maximum of column c. A maximum is exact in f32, whatever the order; 64 columns are few enough to
// keep all maxima in registers while memory is read in order.
constexpr std::int64_t kColumns = 64;

struct CeilingStream {
  static constexpr std::string_view kName = "ceiling_stream";
  static constexpr DType dtype = DType::kF32;

  struct Operands {
    std::vector<Tensor> read;     // each [height, kColumns]
    std::vector<Tensor> written;  // each [height, kColumns]; one of [1, kColumns] when read-only
  };

  std::int64_t reads, writes;  // 1:0, 1:1, 2:1, 1:2 or 2:2
  std::string level;           // "l1", "l2", "l3", "dram": what the working set is sized for
  std::int64_t height;         // rows of a stream
  std::vector<std::string> roles;

  static std::vector<CeilingStream> sweep(const Sweep& sweep);
  std::vector<Axis> axes() const;
  // Walks over the streams in one call: a pass over a small cache is shorter than the call itself.
  std::int64_t passes() const;
  Work work() const;
  Operands operands(Arena& arena) const;
  std::int64_t rows() const { return writes == 0 ? 1 : height; }
  std::int64_t terms() const { return 1; }
  Cache only_cache() const { return level == "dram" ? Cache::kCold : Cache::kWarm; }
  ReferenceRow reference(Arena& arena) const;
};

}  // namespace gk::ceiling_stream
