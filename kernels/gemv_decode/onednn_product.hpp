// SPDX-License-Identifier: Apache-2.0
// The forms in which oneDNN can multiply by a layer's weights. Which is fastest depends on dtype,
// shape and library version, so each is a plan.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gk/onednn.hpp"
#include "kernels/gemv_decode/problem.hpp"

namespace gk::gemv_decode {

// What a product computes besides x W^T, and what it writes.
struct Ending {
  DType result;
  bool bias;
  dnnl::post_ops post_ops;
};

// y = x W^T; the executable takes (x, weights, y, scratch, bias).
struct Product {
  std::string detail;
  onednn::Executable executable;
  onednn::Desc given, wanted;  // layouts of the weights: in the problem, and for the executable

  // The set's weights as the executable wants them, repacked if need be. A padded layout brings
  // a memory of its own, so that its padding is written here and not in every launch.
  struct Weights {
    void* data;
    std::shared_ptr<dnnl::memory> padded;
  };
  Weights weights(Arena& arena, const Tensor& w) const {
    if (given == wanted) return {w.data, nullptr};
    void* packed = arena.packed(static_cast<std::int64_t>(wanted.get_size()));
    dnnl::memory from(given, onednn::engine(), w.data), to(wanted, onednn::engine(), packed);
    dnnl::reorder(from, to).execute(onednn::stream(), from, to);
    const bool is_padded = !std::equal(wanted.data.dims, wanted.data.dims + wanted.data.ndims,
                                       wanted.data.padded_dims);
    return {packed, is_padded ? std::make_shared<dnnl::memory>(to) : nullptr};
  }

  void run(const void* x, const Weights& w, void* y, void* scratch, const void* bias = nullptr) {
    if (w.padded) executable.use(1, *w.padded);
    executable.run(x, w.data, y, scratch, bias);
  }
};

template <class Primitive>
Product product(std::string detail, const typename Primitive::primitive_desc& chosen,
                const onednn::Desc& given, const Ending& ending) {
  std::vector<onednn::Executable::Argument> arguments = {
      {DNNL_ARG_SRC, chosen.src_desc()},
      {DNNL_ARG_WEIGHTS, chosen.weights_desc()},
      {DNNL_ARG_DST, chosen.dst_desc()},
      {DNNL_ARG_SCRATCHPAD, chosen.scratchpad_desc()}};
  if (ending.bias) arguments.emplace_back(DNNL_ARG_BIAS, chosen.bias_desc());
  return {std::move(detail) + ", " + chosen.impl_info_str(),
          {Primitive(chosen), arguments},
          given,
          chosen.weights_desc()};
}

inline Product matmul(const GemvDecode& p, const Ending& ending) {
  using onednn::matrix;
  using onednn::Tag;
  const auto x = matrix(p.dtype, p.batch, p.k), y = matrix(ending.result, p.batch, p.n);
  const auto w = matrix(p.dtype, p.k, p.n, Tag::any);
  const auto bias = ending.bias ? matrix(p.dtype, 1, p.n) : onednn::Desc();
  const dnnl::matmul::primitive_desc chosen({x, w, bias, y}, onednn::attributes(ending.post_ops),
                                            onednn::engine());
  return product<dnnl::matmul>("matmul", chosen, matrix(p.dtype, p.k, p.n, Tag::ba), ending);
}

inline Product inner_product(const GemvDecode& p, const Ending& ending) {
  using onednn::matrix;
  const auto x = matrix(p.dtype, p.batch, p.k), y = matrix(ending.result, p.batch, p.n);
  const auto w = matrix(p.dtype, p.n, p.k, onednn::Tag::any);
  const onednn::Desc bias =
      ending.bias ? onednn::Desc({p.n}, onednn::type_of(p.dtype), onednn::Tag::a) : onednn::Desc();
  const dnnl::inner_product_forward::primitive_desc chosen(
      {dnnl::prop_kind::forward_inference, x, w, bias, y}, onednn::attributes(ending.post_ops),
      onednn::engine());
  return product<dnnl::inner_product_forward>("inner_product", chosen, matrix(p.dtype, p.n, p.k),
                                              ending);
}

// All forms that are worth timing and that the library has here: row-major weights, without
// repacking, lost 10 to 50 %. Throws Unsupported when it has none.
inline std::vector<std::shared_ptr<Product>> products(const GemvDecode& p, const Ending& ending) {
  std::vector<std::shared_ptr<Product>> made;
  std::string refusals;
  using Form = Product (*)(const GemvDecode&, const Ending&);
  constexpr std::pair<const char*, Form> kForms[] = {{"matmul", matmul},
                                                     {"inner product", inner_product}};
  for (const auto& [name, form] : kForms) {
    try {
      made.push_back(onednn::shared(name, [&, make = form] { return make(p, ending); }));
    } catch (const Unsupported& reason) {
      refusals += std::string(refusals.empty() ? "" : "; ") + reason.what();
    }
  }
  if (made.empty()) throw Unsupported(refusals);
  return made;
}

}  // namespace gk::gemv_decode
