// SPDX-License-Identifier: Apache-2.0
#include "emulator/interpreter/place.hpp"

#include "emulator/interpreter/block.hpp"

namespace gk::emulator {

std::string text_of(const ptx::Statement& statement) {
  std::string text;
  for (const std::string& word : statement.opcode) {
    if (!text.empty()) text += '.';
    text += word;
  }
  return text;
}

std::string text_of(const ptx::Module& module, ptx::Source source) {
  const auto file = module.files.find(source.file);
  if (file == module.files.end()) return {};
  const std::string& path = file->second;
  return path.substr(path.rfind('/') + 1) + ":" + std::to_string(source.line);
}

Place place_of(const ptx::Module& module, const ptx::Function& function,
               const ptx::Statement& statement) {
  Place place;
  place.kernel = function.name;
  place.ptx_line = statement.ptx_line;
  place.opcode = text_of(statement);
  place.source = text_of(module, statement.source);
  return place;
}

void raise(FaultKind kind, std::string detail, const Warp& warp, const Instruction& at, int lane) {
  const Kernel& kernel = *warp.kernel;
  Place place =
      at.statement < kernel.function->statements.size()
          ? place_of(*kernel.module, *kernel.function, kernel.function->statements[at.statement])
          : Place{.kernel = kernel.name, .opcode = "the end of the kernel", .source = {}};
  const auto& shape = warp.block->grid->configuration->block;
  const std::uint32_t thread = warp.thread(lane);
  place.block = warp.block->index;
  place.thread = {thread % shape[0], thread / shape[0] % shape[1], thread / shape[0] / shape[1]};
  throw Fault(kind, std::move(detail), std::move(place));
}

}  // namespace gk::emulator
