// SPDX-License-Identifier: Apache-2.0
// oneDNN's ceremony (C++ API 2.x), once. One Executable per plan holds the primitive and its memory
// objects; a launch only sets data pointers and runs, so that rotating thousands of operand sets
// does not leave the vendor with thousands of cold descriptors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <utility>
#include <vector>

#include "gk/registry.hpp"

namespace gk::onednn {

// Whoever includes this header links the library: its version belongs into the result file.
inline const bool version_is_noted = [] {
  const dnnl_version_t* version = dnnl_version();
  library_versions()["oneDNN"] = std::to_string(version->major) + "." +
                                 std::to_string(version->minor) + "." +
                                 std::to_string(version->patch);
  return true;
}();

using Tag = dnnl::memory::format_tag;
using Desc = dnnl::memory::desc;

inline const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

// In order, and done on return: with OpenMP the library runs on the calling thread's team.
inline dnnl::stream& stream() {
  static dnnl::stream queue(engine());
  return queue;
}

inline dnnl::memory::data_type type_of(DType dtype) {
  return dtype == DType::kF32 ? dnnl::memory::data_type::f32 : dnnl::memory::data_type::bf16;
}

// A dense matrix; Tag::ab is row-major, Tag::any leaves the layout to the library.
inline Desc matrix(DType dtype, std::int64_t rows, std::int64_t cols, Tag tag = Tag::ab) {
  return {{rows, cols}, type_of(dtype), tag};
}

// An attribute whose scratchpad we provide, from the arena: nothing is allocated in a launch.
inline dnnl::primitive_attr attributes(const dnnl::post_ops& post_ops = {}) {
  dnnl::primitive_attr made;
  made.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  made.set_post_ops(post_ops);
  return made;
}

inline dnnl::post_ops then_gelu(dnnl::post_ops before = {}) {
  before.append_eltwise(1.0F, dnnl::algorithm::eltwise_gelu_tanh, 0.0F, 0.0F);
  return before;
}

// A primitive and its arguments. run() takes their data pointers in the order of the constructor;
// pointers past the last argument (as the bias of a product without one) are ignored.
class Executable {
 public:
  using Argument = std::pair<int, Desc>;  // DNNL_ARG_*, layout

  Executable(const dnnl::primitive& primitive, const std::vector<Argument>& arguments)
      : primitive_(primitive) {
    for (const auto& [id, layout] : arguments) {
      memories_.emplace_back(layout, engine(), nullptr);
      // The C form: the C++ one builds a map and a vector at every call.
      arguments_.push_back({id, memories_.back().get()});
    }
  }

  // Of the argument DNNL_ARG_SCRATCHPAD, if there is one.
  std::int64_t scratchpad_bytes() const {
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      if (arguments_[i].arg == DNNL_ARG_SCRATCHPAD) {
        return static_cast<std::int64_t>(memories_[i].get_desc().get_size());
      }
    }
    return 0;
  }

  // Uses `memory` as argument `index` from now on; run() then leaves its data pointer alone. For
  // memories whose layout is padded: setting a pointer writes the padding's zeros each time.
  void use(std::size_t index, const dnnl::memory& memory) {
    arguments_[index].memory = memory.get();
  }

  template <class... Pointer>
  void run(Pointer*... data) {
    const std::array<void*, sizeof...(data)> pointers{
        const_cast<void*>(static_cast<const void*>(data))...};
    for (std::size_t i = 0; i < memories_.size(); ++i) {
      if (arguments_[i].memory == memories_[i].get()) memories_[i].set_data_handle(pointers[i]);
    }
    dnnl::error::wrap_c_api(
        dnnl_primitive_execute(primitive_.get(), stream().get(),
                               static_cast<int>(arguments_.size()), arguments_.data()),
        "could not execute a primitive");
  }

 private:
  dnnl::primitive primitive_;
  std::vector<dnnl::memory> memories_;
  std::vector<dnnl_exec_arg_t> arguments_;
};

// What make() gives, shared by a plan's launches; the library's refusal becomes a skip in words.
template <class F>
auto shared(const std::string& what, F&& make) {
  if (dnnl_version()->cpu_runtime != DNNL_RUNTIME_OMP) {
    throw Unsupported("this oneDNN does not run on OpenMP, so its threads could not be set alike");
  }
  try {
    return std::make_shared<std::decay_t<decltype(make())>>(make());
  } catch (const dnnl::error& error) {
    throw Unsupported("oneDNN has no " + what + " on this CPU (" + error.what() + ")");
  }
}

// a = post_ops(a + b), or into another matrix like a; b may be a row that is added to each.
// Other mixtures of dtypes than a result like a run 100 x slower in 2.6 (reference code).
inline Executable addition(const Desc& a, const Desc& b, const dnnl::post_ops& post_ops = {}) {
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(post_ops);
  const dnnl::binary::primitive_desc chosen({dnnl::algorithm::binary_add, a, b, a}, attributes,
                                            engine());
  return {dnnl::binary(chosen), {{DNNL_ARG_SRC_0, a}, {DNNL_ARG_SRC_1, b}, {DNNL_ARG_DST, a}}};
}

// dst = gelu_tanh(src), in place or not.
inline Executable gelu_of(const Desc& layout) {
  const dnnl::eltwise_forward::primitive_desc chosen(
      {dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_gelu_tanh, layout, 0.0F, 0.0F},
      engine());
  return {dnnl::eltwise_forward(chosen), {{DNNL_ARG_SRC, layout}, {DNNL_ARG_DST, layout}}};
}

}  // namespace gk::onednn
