// SPDX-License-Identifier: Apache-2.0
// Names the mistake when host code dereferences a device pointer.
#pragma once

namespace gk::emulator::runtime {

// Installs the signal handler at its first call. The process then dies of SIGSEGV as it would
// beside a GPU, only with a sentence on stderr; faults elsewhere go to whoever handled them before.
void guard_device_range();

}  // namespace gk::emulator::runtime
