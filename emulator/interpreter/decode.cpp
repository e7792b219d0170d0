// SPDX-License-Identifier: Apache-2.0
#include "emulator/interpreter/decode.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "emulator/interpreter/ops/control.hpp"
#include "emulator/interpreter/ops/special_registers.hpp"
#include "emulator/interpreter/place.hpp"

namespace gk::emulator {
namespace {

constexpr std::uint32_t kNotPlaced = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kAlign = sizeof(ConstantBytes);
constexpr std::uint64_t kMostSharedBytes = 227 << 10;  // of a block
constexpr std::uint64_t kMostLocalBytes = 512 << 10;   // of a thread

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) / align * align;
}

bool names(const ptx::Operand& operand, const std::string& symbol) {
  return operand.symbol == symbol ||
         std::ranges::any_of(operand.parts, [&](const auto& part) { return names(part, symbol); });
}

bool names(const ptx::Function& function, const std::string& symbol) {
  return std::ranges::any_of(function.statements, [&](const ptx::Statement& statement) {
    return std::ranges::any_of(statement.operands,
                               [&](const ptx::Operand& operand) { return names(operand, symbol); });
  });
}

// The function's own variables, and the module's shared ones that it names.
std::vector<const ptx::Variable*> block_variables(const ptx::Module& module,
                                                  const ptx::Function& function) {
  std::vector<const ptx::Variable*> all;
  for (const auto& [name, variable] : module.variables) {
    if (variable.space == ptx::Space::kShared && names(function, name)) all.push_back(&variable);
  }
  for (const ptx::Variable& variable : function.variables) all.push_back(&variable);
  return all;
}

using Plain = Match (*)(const Opcode&);
constexpr Plain kPlain[] = {find_integer,     find_bits,    find_float,   find_half,
                            find_approximate, find_convert, find_compare, find_move};

using Special = bool (*)(Decoder&, const Opcode&, Instruction&);
constexpr Special kSpecial[] = {decode_memory,  decode_atomic,  decode_warp, decode_synchronise,
                                decode_control, decode_address, decode_pack};

}  // namespace

Decoder::Decoder(const ptx::Module& module, const ptx::Function& function,
                 VariableAddress addresses)
    : module_(&module), function_(&function), addresses_(std::move(addresses)) {}

std::unique_ptr<Kernel> Decoder::decode() {
  kernel_ = std::make_unique<Kernel>();
  kernel_->name = function_->name;
  kernel_->module = module_;
  kernel_->function = function_;
  places_.assign(function_->registers.size(), kNotPlaced);
  place_variables();
  for (const ptx::Statement& statement : function_->statements) {
    Instruction made = decode_statement(statement);
    made.statement = static_cast<std::uint32_t>(kernel_->code.size());
    kernel_->code.push_back(made);
  }
  kernel_->code.push_back(end_of_kernel(kernel_->code.size()));
  kernel_->register_bytes =
      static_cast<std::uint32_t>(round_up(std::max(kernel_->register_bytes, kAlign), kAlign));
  return std::move(kernel_);
}

// Shared variables lie one after the other, dynamic shared memory behind them; parameters keep the
// offsets that the reader gave them.
void Decoder::place_variables() {
  const auto place = [&](const ptx::Variable& variable) {
    const bool is_shared = variable.space == ptx::Space::kShared;
    std::uint32_t& top = is_shared ? kernel_->static_shared_bytes : kernel_->local_bytes;
    const std::uint64_t at = round_up(top, std::max<std::uint64_t>(1, variable.align));
    if (at + variable.bytes > (is_shared ? kMostSharedBytes : kMostLocalBytes)) {
      throw ptx::Error("the variables of " + function_->name + " take more than " +
                       (is_shared ? "227 KiB of shared memory" : "512 KiB of local memory"));
    }
    symbols_[variable.name] = at;
    top = static_cast<std::uint32_t>(at + variable.bytes);
  };
  const auto is_dynamic = [](const ptx::Variable& variable) {
    return variable.space == ptx::Space::kShared && variable.bytes == 0;
  };
  const std::vector<const ptx::Variable*> all = block_variables(*module_, *function_);
  for (const ptx::Variable* variable : all) {
    if (!is_dynamic(*variable)) place(*variable);
  }
  for (const ptx::Variable* variable : all) {
    if (!is_dynamic(*variable)) continue;
    kernel_->uses_dynamic_shared = true;
    kernel_->dynamic_shared_align =
        std::max(kernel_->dynamic_shared_align, static_cast<std::uint32_t>(variable->align));
  }
  for (const ptx::Variable* variable : all) {
    if (is_dynamic(*variable)) symbols_[variable->name] = dynamic_shared_offset(*kernel_);
  }
  for (const ptx::Parameter& parameter : function_->parameters) {
    symbols_[parameter.name] = parameter.offset;
  }
}

std::uint32_t Decoder::reserve(std::uint32_t lane_bytes) {
  const auto at = static_cast<std::uint32_t>(round_up(kernel_->register_bytes, kAlign));
  kernel_->register_bytes = at + lane_bytes * 32;
  return at;
}

// Registers get their places at first use: nvcc declares many more than it uses.
Slot Decoder::destination(const ptx::Operand& operand) {
  if (operand.kind == ptx::Operand::Kind::kSink) return sink(sizeof(std::uint64_t));
  if (operand.kind != ptx::Operand::Kind::kRegister) refuse(*present_, "its destination");
  const auto index = static_cast<std::size_t>(operand.reg);
  const ptx::Register& reg = function_->registers[index];
  if (places_[index] == kNotPlaced) {
    places_[index] = reserve(static_cast<std::uint32_t>(reg.bytes));
  }
  return {places_[index], false, false, static_cast<std::uint8_t>(reg.bytes), reg.predicate};
}

Slot Decoder::predicate(int reg) {
  ptx::Operand operand;
  operand.kind = ptx::Operand::Kind::kRegister;
  operand.reg = reg;
  return require_predicate(destination(operand));
}

const Slot& Decoder::require(const Slot& slot, std::uint8_t bytes) const {
  if (slot.predicate || slot.bytes != bytes) {
    refuse(*present_, "a register that is not of " + std::to_string(8 * bytes) + " bits");
  }
  return slot;
}

const Slot& Decoder::require_predicate(const Slot& slot) const {
  if (!slot.predicate && !slot.constant) refuse(*present_, "a register that is no predicate");
  return slot;
}

Slot Decoder::constant(std::uint64_t bits, std::uint8_t bytes) {
  const auto [entry, is_new] = constants_.try_emplace({bits, bytes}, 0);
  if (is_new) {
    const std::size_t at = kernel_->constants.size();
    kernel_->constants.resize(at + (32U * bytes + kAlign - 1) / kAlign);
    std::byte* lanes = kernel_->constants[at].bytes;
    for (int lane = 0; lane < 32; ++lane) std::memcpy(lanes + lane * bytes, &bits, bytes);
    entry->second = static_cast<std::uint32_t>(at * kAlign);
  }
  return {entry->second, true, false, bytes};
}

Slot Decoder::special(const std::string& name) {
  for (const SpecialRegister& known : kernel_->special) {
    if (known.name == name) return {known.offset, false, false, known.bytes};
  }
  const std::uint8_t bytes = special_register_bytes(name);
  if (bytes == 0) refuse(*present_, "the special register " + name);
  kernel_->special.push_back({name, reserve(bytes), bytes});
  return {kernel_->special.back().offset, false, false, bytes};
}

Slot Decoder::symbol(const ptx::Operand& operand, std::uint8_t bytes) {
  if (operand.symbol.starts_with('%')) return require(special(operand.symbol), bytes);
  const auto offset = static_cast<std::uint64_t>(operand.offset);
  if (const auto found = symbols_.find(operand.symbol); found != symbols_.end()) {
    return constant(found->second + offset, bytes);
  }
  if (const std::uint64_t at = addresses_(operand.symbol)) return constant(at + offset, bytes);
  refuse(*present_, "the name " + operand.symbol);
}

Slot Decoder::source(const ptx::Operand& operand, std::uint8_t bytes) {
  switch (operand.kind) {
    case ptx::Operand::Kind::kRegister: {
      Slot slot = destination(operand);
      slot.negated = operand.negated;
      return slot;
    }
    case ptx::Operand::Kind::kImmediate:
      return constant(operand.bits, bytes);
    case ptx::Operand::Kind::kSymbol:
      return symbol(operand, bytes);
    default:
      refuse(*present_, "one of its operands");
  }
}

void Decoder::address(const ptx::Operand& operand, Instruction& into) {
  if (operand.kind != ptx::Operand::Kind::kAddress || operand.parts.size() != 1) {
    refuse(*present_, "its address");
  }
  into.a = source(operand.parts.front(), 8);
  if (into.a.bytes != 4) require(into.a, 8);  // shared and local addresses may have 32 bits
  into.displacement = operand.offset;
}

bool Decoder::fold_parameter(Instruction& into, std::int64_t bytes) const {
  if (!into.a.constant) return false;
  std::int64_t begin = 0;
  std::memcpy(&begin, kernel_->constants[into.a.offset / kAlign].bytes, sizeof(begin));
  begin += into.displacement;
  if (begin < 0 || begin % bytes != 0 || begin + bytes > function_->parameter_bytes) return false;
  into.displacement = begin;
  return true;
}

void Decoder::bind(const ptx::Statement& statement, const Match& match, Instruction& into) {
  const auto& operands = statement.operands;
  const bool of_predicates = statement.opcode.back() == "pred";
  const bool compares = statement.opcode.front() == "setp" || statement.opcode.front() == "testp";
  const bool converts = statement.opcode.front() == "cvt";  // bytes lie in registers of any width
  const bool combines = compares || statement.opcode.front() == "selp" ||
                        statement.opcode.front() == "set";  // c is a predicate
  into.to[0] = destination(operands.front());
  if (operands.front().second >= 0) into.to[1] = predicate(operands.front().second);
  if (operands.front().kind == ptx::Operand::Kind::kRegister) {
    if (of_predicates || compares) {
      require_predicate(into.to[0]);
    } else {
      require(into.to[0], match.to == 0 ? into.to[0].bytes : match.to);
    }
  }
  const std::array<std::pair<Slot*, std::uint8_t>, 4> sources{
      {{&into.a, match.a}, {&into.b, match.b}, {&into.c, match.c}, {&into.d, match.c}}};
  if (operands.size() > sources.size() + 1) refuse(statement, "that many operands");
  for (std::size_t i = 1; i < operands.size(); ++i) {
    const auto& [slot, bytes] = sources[i - 1];
    *slot = source(operands[i], bytes);
    if (of_predicates || (combines && i == 3)) {
      require_predicate(*slot);
    } else {
      require(*slot, converts ? slot->bytes : bytes);
    }
  }
}

bool Decoder::decode_plain(const ptx::Statement& statement, Instruction& into) {
  const Opcode opcode(statement, *function_);
  for (const Plain find : kPlain) {
    const Match match = find(opcode);
    if (!match) continue;
    into.run = match.run;
    into.kind = match.kind;
    bind(statement, match, into);
    return true;
  }
  return false;
}

bool Decoder::decode_any(const ptx::Statement& statement, Instruction& into) {
  const Opcode opcode(statement, *function_);
  return std::ranges::any_of(kSpecial,
                             [&](Special decode) { return decode(*this, opcode, into); }) ||
         decode_plain(statement, into);
}

Instruction Decoder::decode_statement(const ptx::Statement& statement) {
  present_ = &statement;
  Instruction made;
  if (statement.guard >= 0) {
    made.guard = static_cast<std::int32_t>(predicate(statement.guard).offset);
    made.guard_negated = statement.guard_negated;
  }
  try {
    if (!decode_any(statement, made)) refuse(statement, "");
  } catch (const std::out_of_range&) {  // of Opcode::operand()
    refuse(statement, "so few operands");
  }
  return made;
}

void Decoder::refuse(const ptx::Statement& statement, const std::string& why) const {
  const std::string opcode = text_of(statement);
  throw Fault(FaultKind::kUnsupported,
              "the emulator does not know " + (why.empty() ? opcode : why + " in " + opcode),
              place_of(*module_, *function_, statement));
}

}  // namespace gk::emulator
