// SPDX-License-Identifier: Apache-2.0
#include "emulator/fault.hpp"

#include <utility>

#include "emulator/text.hpp"

namespace gk::emulator {
namespace {

std::string text_of(const std::array<std::uint32_t, 3>& index) {
  return "(" + std::to_string(index[0]) + "," + std::to_string(index[1]) + "," +
         std::to_string(index[2]) + ")";
}

std::string text_of(const Place& place) {
  if (place.kernel.empty()) return {};
  std::string text = ", in kernel " + place.kernel + ", block " + text_of(place.block) +
                     ", thread " + text_of(place.thread);
  if (!place.source.empty()) text += ", " + place.source;
  if (place.ptx_line > 0) {
    text += " (PTX line " + std::to_string(place.ptx_line) + ": " + place.opcode + ")";
  } else if (!place.opcode.empty()) {
    text += " (" + place.opcode + ")";
  }
  return text;
}

std::string sentence(FaultKind kind, const std::string& detail, const Place& place) {
  const std::string name(name_of(kind));
  const bool says_so = detail.find(name) != std::string::npos;
  return (says_so ? detail : name + ": " + detail) + text_of(place);
}

Place shown(Place place) {
  place.kernel = demangled(place.kernel);
  return place;
}

}  // namespace

std::string_view name_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::kOutOfBounds:
      return "out-of-bounds";
    case FaultKind::kMisaligned:
      return "misaligned";
    case FaultKind::kUninitialised:
      return "uninitialised";
    case FaultKind::kRace:
      return "race";
    case FaultKind::kBarrier:
      return "barrier";
    case FaultKind::kWarpSync:
      return "warp synchronisation";
    case FaultKind::kDeadlock:
      return "deadlock";
    case FaultKind::kTrap:
      return "trap";
    case FaultKind::kUnsupported:
      return "unsupported";
  }
  return "unknown fault";
}

Fault::Fault(FaultKind kind_, std::string detail_, Place place_)
    : std::runtime_error(sentence(kind_, detail_, shown(place_))),
      kind(kind_),
      detail(std::move(detail_)),
      place(shown(std::move(place_))) {}

}  // namespace gk::emulator
