// SPDX-License-Identifier: Apache-2.0
// The fat binary that nvcc puts into an object file: per architecture PTX text, machine code, or
// both. Only the PTX is of use here.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace gk::emulator {

struct FatbinError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct FatbinEntry {
  enum class Kind { kPtx, kElf, kOther };
  Kind kind;
  int arch;            // 90 of sm_90
  bool arch_specific;  // the "a" of sm_90a: its instructions exist on no other chip
  std::string text;    // of PTX only
};

// Takes what __cudaRegisterFatBinary is given. Reads only within the sizes that the container
// states. Throws FatbinError. A fat binary without PTX is no error.
std::vector<FatbinEntry> read_fatbin(const void* wrapper);

// The PTX of `arch`, or of the highest one where it is 0; of two the arch-specific one. Null where
// there is none.
const FatbinEntry* choose_ptx(const std::vector<FatbinEntry>& entries, int arch);

}  // namespace gk::emulator
