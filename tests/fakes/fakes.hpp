// SPDX-License-Identifier: Apache-2.0
// A device, a clock and cases that do exactly what a test says, and log what is done to them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "benches/measure/engine.hpp"
#include "gk/reference.hpp"

namespace gk::fakes {

using Log = std::vector<std::string>;

class FakeMemory final : public Memory {
 public:
  explicit FakeMemory(Log& log, std::int64_t limit = 1 << 24) : log_(log), limit_(limit) {}

  void* allocate(std::int64_t bytes) override {
    if (bytes > available_bytes()) throw OutOfMemory(bytes, available_bytes());
    pieces_.push_back(std::make_unique<std::byte[]>(static_cast<std::size_t>(bytes)));
    used_.push_back(bytes);
    return pieces_.back().get();
  }
  void generate(const Tensor& tensor, std::uint64_t seed, float scale) override {
    log_.emplace_back("generate");
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
      tensor.as<float>()[i] = generated_value(seed, static_cast<std::uint64_t>(i), scale);
    }
  }
  void poison(const Tensor& tensor) override {
    log_.emplace_back("poison");
    std::memset(tensor.data, 0xff, static_cast<std::size_t>(tensor.bytes()));
  }
  std::int64_t mark() const override { return static_cast<std::int64_t>(pieces_.size()); }
  void release_to(std::int64_t mark) override {
    pieces_.resize(static_cast<std::size_t>(mark));
    used_.resize(static_cast<std::size_t>(mark));
  }
  std::int64_t available_bytes() const override {
    std::int64_t left = limit_;
    for (const std::int64_t bytes : used_) left -= bytes;
    return left;
  }

 private:
  Log& log_;
  std::int64_t limit_;
  std::vector<std::unique_ptr<std::byte[]>> pieces_;
  std::vector<std::int64_t> used_;
};

// Time passes only when a fake launch says so.
class FakeClock final : public measure::Clock {
 public:
  explicit FakeClock(Log& log) : log_(log) {}
  measure::Sample time(std::span<const Launch> calls) override {
    log_.emplace_back("time");
    const double start = now;
    for (const Launch& call : calls) call(nullptr);
    const bool disturbed = disturb_every > 0 && ++samples_ % disturb_every == 0;
    return {.seconds = now - start, .cpu_seconds = now - start, .disturbed = disturbed};
  }
  double resolution_s() const override { return 1e-9; }
  double now_s() const override { return now; }

  double now = 0;
  int disturb_every = 0;  // 1: every sample

 private:
  Log& log_;
  int samples_ = 0;
};

// y = x over one row of 16 floats. `seconds` of fake time per call; `spoil` may ruin the output.
struct FakePlan {
  double seconds = 1e-3;
  std::function<void(float* y, int call)> spoil = [](float*, int) {};
  std::string detail = "plain";
};

struct Bench {
  Log log;
  FakeMemory memory{log};
  FakeClock clock{log};
  measure::Phases phases;
  bool bitten = false;
  measure::Watchdog watchdog{[this] { bitten = true; }};
  Machine machine = make_machine();
  measure::Engine engine{.memory = memory,
                         .clock = clock,
                         .machine = machine,
                         .settings = {.budget_s = 0.1},
                         .phases = phases,
                         .watchdog = watchdog};

  static Machine make_machine() {
    Machine m{};
    m.llc_bytes = 1024;
    m.levels = {{"l1", 256, 128}, {"l2", 1024, 512}, {"dram", 1 << 20, 4096}};
    return m;
  }

  Plan plan(const FakePlan& fake) {
    return {.detail = fake.detail, .bind = [this, fake](Arena& arena) -> Launch {
              log.push_back("bind " + fake.detail);
              const Tensor x = arena.input("x", DType::kF32, 1, 16);
              const Tensor y = arena.output("y", DType::kF32, 1, 16);
              auto calls = std::make_shared<int>(0);
              return [this, fake, x, y, calls](Stream) {
                log.push_back("launch " + fake.detail);
                std::copy_n(x.as<float>(), 16, y.as<float>());
                fake.spoil(y.as<float>(), ++*calls);
                clock.now += fake.seconds;
              };
            }};
  }

  // A case named after `implementation`, with one plan per FakePlan.
  Case make_case(const std::string& implementation, const std::vector<FakePlan>& plans) {
    return {
        .op = "fake",
        .implementation = implementation,
        .dtype = DType::kF32,
        .axes = {{"size", std::int64_t{16}}},
        .roles = {},
        .device = {},
        .work = {.flops = 16e6, .read_bytes = 64e6, .written_bytes = 64e6, .unit = Unit::kVector},
        .rows = 1,
        .terms = 1,
        .only = {},
        .operands =
            [](Arena& arena) {
              arena.input("x", DType::kF32, 1, 16);
              arena.output("y", DType::kF32, 1, 16);
            },
        .plans =
            [this, plans] {
              log.emplace_back("plans");
              std::vector<Plan> made;
              for (const FakePlan& fake : plans) made.push_back(plan(fake));
              return made;
            },
        .reference = [](Arena& arena) -> ReferenceRow {
          const Tensor x = arena.input("x", DType::kF32, 1, 16);
          return [x](std::int64_t row) {
            std::vector<Expected> y;
            for (std::int64_t i = 0; i < 16; ++i) {
              const double value = element(x, row, i);
              y.push_back({value, std::abs(value)});
            }
            return std::vector<std::vector<Expected>>{y};
          };
        }};
  }

  // A ceiling_stream (1:1, DRAM) of `seconds` per call that claims to move 128 MB.
  Case make_ceiling(double seconds) {
    Case ceiling = make_case("cpu_fused", {{.seconds = seconds, .detail = "stream"}});
    ceiling.op = "ceiling_stream";
    ceiling.axes = {
        {"reads", std::int64_t{1}}, {"writes", std::int64_t{1}}, {"level", std::string("dram")}};
    ceiling.only = Cache::kCold;
    return ceiling;
  }
};

}  // namespace gk::fakes
