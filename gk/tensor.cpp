// SPDX-License-Identifier: Apache-2.0
#include "gk/tensor.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace gk {
namespace {

constexpr std::int64_t kLooks = 4096;  // elements of an input that inputs_intact() compares

bool holds(const Tensor& tensor, std::int64_t index, float value) {
  return visit(tensor.dtype, [&](auto tag) {
    using T = decltype(tag);
    return std::bit_cast<std::array<std::byte, sizeof(T)>>(tensor.as<T>()[index]) ==
           std::bit_cast<std::array<std::byte, sizeof(T)>>(from_float<T>(value));
  });
}

}  // namespace

void* Scratch::at_least(std::int64_t bytes) {
  if (data_ == nullptr || bytes > bytes_) {
    data_ = memory_->allocate(bytes);
    bytes_ = bytes;
  }
  return data_;
}

const Arena::Named* Arena::find(std::string_view name) const {
  const auto found = std::ranges::find(tensors_, name, &Named::name);
  return found == tensors_.end() ? nullptr : &*found;
}

Tensor Arena::add(std::string_view name, Tensor shape, float scale) {
  shape.data = memory_->allocate(shape.bytes());
  tensors_.push_back({name, shape, scale});
  return shape;
}

// FNV-1a over the name: tensors of one set differ, and equal names of two sets differ by seed.
std::uint64_t Arena::seed_of(std::string_view name) const {
  std::uint64_t hash = seed_ ^ 0xcbf29ce484222325ULL;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

Tensor Arena::input(std::string_view name, DType dtype, std::int64_t rows, std::int64_t cols,
                    float scale) {
  if (const Named* known = find(name)) return known->tensor;
  const Tensor made = add(name, {.dtype = dtype, .rows = rows, .cols = cols}, scale);
  memory_->generate(made, seed_of(name), scale);
  return made;
}

Tensor Arena::output(std::string_view name, DType dtype, std::int64_t rows, std::int64_t cols) {
  if (const Named* known = find(name)) return known->tensor;
  const Tensor made = add(name, {.dtype = dtype, .rows = rows, .cols = cols}, 0);
  memory_->poison(made);  // also the first touch of its pages, which no kernel should be billed for
  return made;
}

std::vector<Tensor> Arena::tensors() const {
  std::vector<Tensor> all;
  for (const Named& named : tensors_) all.push_back(named.tensor);
  return all;
}

std::vector<Tensor> Arena::outputs() const {
  std::vector<Tensor> found;
  for (const Named& named : tensors_) {
    if (named.scale == 0) found.push_back(named.tensor);
  }
  return found;
}

void Arena::poison_outputs() {
  for (const Tensor& tensor : outputs()) memory_->poison(tensor);
}

bool Arena::inputs_intact() const {
  return std::ranges::all_of(tensors_, [this](const Named& named) {
    const std::int64_t last = named.tensor.size() - 1;
    const std::int64_t looks = std::min(kLooks, last + 1);
    for (std::int64_t look = 0; named.scale != 0 && look < looks; ++look) {
      const std::int64_t index = looks == 1 ? 0 : last * look / (looks - 1);
      const float value =
          generated_value(seed_of(named.name), static_cast<std::uint64_t>(index), named.scale);
      if (!holds(named.tensor, index, value)) return false;
    }
    return true;
  });
}

std::int64_t Arena::operand_bytes() const {
  std::int64_t bytes = 0;
  for (const Named& named : tensors_) bytes += named.tensor.bytes();
  return bytes;
}

double element(const Tensor& tensor, std::int64_t row, std::int64_t col) {
  return visit(tensor.dtype, [&](auto tag) {
    return static_cast<double>(to_float(tensor.as<decltype(tag)>()[row * tensor.cols + col]));
  });
}

}  // namespace gk
