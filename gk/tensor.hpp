// SPDX-License-Identifier: Apache-2.0
// An operand set: the named tensors of one problem, made on first request and then the same.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "gk/memory.hpp"

namespace gk {

// Work space that all sets of a block share, as layers of a real model do.
class Scratch {
 public:
  explicit Scratch(Memory& memory) : memory_(&memory) {}
  // At least `bytes`. The pointer stays valid; contents do not survive another user's launch.
  void* at_least(std::int64_t bytes);

 private:
  Memory* memory_;
  void* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

// Every implementation asks for the operands by calling Problem::operands(arena): the first call
// makes them, later calls find them, so all contenders of a block see one set of inputs.
class Arena {
 public:
  Arena(Memory& memory, Scratch& scratch, std::uint64_t seed)
      : memory_(&memory), scratch_(&scratch), seed_(seed) {}

  // Uniform in [-scale, scale), a function of (seed, name, index) alone.
  Tensor input(std::string_view name, DType dtype, std::int64_t rows, std::int64_t cols,
               float scale = 1.0F);
  Tensor output(std::string_view name, DType dtype, std::int64_t rows, std::int64_t cols);
  // Bytes that live with this set, as repacked weights do. A new piece at every call.
  void* packed(std::int64_t bytes) { return memory_->allocate(bytes); }
  // The same, but found again by its name, so that several plans share one repacked copy:
  // fill(data) runs at the first request only. `name` is a string literal.
  template <class F>
  void* packed_once(std::string_view name, std::int64_t bytes, F&& fill) {
    for (const auto& [known, data] : packed_) {
      if (known == name) return data;
    }
    void* data = packed(bytes);
    fill(data);
    packed_.emplace_back(name, data);
    return data;
  }
  // How many packed_once() pieces there are, and forgetting the later ones: their memory is gone.
  std::size_t packed_pieces() const { return packed_.size(); }
  void forget_packed(std::size_t pieces) { packed_.resize(pieces); }
  void* scratch(std::int64_t bytes) { return scratch_->at_least(bytes); }

  // Inputs and outputs in the order in which the problem declared them.
  std::vector<Tensor> tensors() const;
  // Outputs in the order in which the problem declared them.
  std::vector<Tensor> outputs() const;
  // Fills all outputs with NaN, so that an element nobody writes cannot pass.
  void poison_outputs();
  // False when some input no longer holds what was generated: a kernel wrote over it.
  // Looks at up to 4096 elements of each.
  bool inputs_intact() const;
  std::int64_t operand_bytes() const;

 private:
  struct Named {
    std::string_view name;  // string literals: they outlive the arena
    Tensor tensor;
    float scale;  // 0 marks an output
  };
  const Named* find(std::string_view name) const;
  Tensor add(std::string_view name, Tensor shape, float scale);
  std::uint64_t seed_of(std::string_view name) const;

  Memory* memory_;
  Scratch* scratch_;
  std::uint64_t seed_;
  std::vector<Named> tensors_;
  std::vector<std::pair<std::string_view, void*>> packed_;
};

// Host tensors only: element (row, col) as a double.
double element(const Tensor& tensor, std::int64_t row, std::int64_t col);

}  // namespace gk
