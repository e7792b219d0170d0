// SPDX-License-Identifier: Apache-2.0
#include "emulator/runtime/host_guard.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "emulator/memory/device_memory.hpp"

namespace gk::emulator::runtime {
namespace {

struct sigaction former;

// Only what POSIX allows in a signal handler: no allocation, no stdio.
void say(std::uint64_t address) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr std::string_view kBefore = "emulator: the host dereferenced a device pointer (0x";
  std::array<char, 18> number{};
  std::size_t first = 16;
  do {
    number[--first] = kDigits[address % 16];
    address /= 16;
  } while (address != 0);
  number[16] = ')';
  number[17] = '\n';
  // Nothing can be done where stderr is closed.
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, kBefore.data(), kBefore.size());
  written = write(STDERR_FILENO, number.data() + first, number.size() - first);
}

void pass_on(int signal, siginfo_t* info, void* machine) {
  if ((former.sa_flags & SA_SIGINFO) != 0) {
    former.sa_sigaction(signal, info, machine);
  } else if (former.sa_handler != SIG_DFL && former.sa_handler != SIG_IGN) {
    former.sa_handler(signal);
  } else {
    ::signal(signal, SIG_DFL);  // the access is tried again when this returns
  }
}

void on_fault(int signal, siginfo_t* info, void* machine) {
  const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
  if (!DeviceMemory::instance().is_device(address)) return pass_on(signal, info, machine);
  say(address);
  ::signal(signal, SIG_DFL);
}

}  // namespace

void guard_device_range() {
  [[maybe_unused]] static const bool kInstalled = [] {
    DeviceMemory::instance();  // made here and not in the handler
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    return sigaction(SIGSEGV, &action, &former) == 0;
  }();
}

}  // namespace gk::emulator::runtime
