// SPDX-License-Identifier: Apache-2.0
// gk_bench: arguments -> selection -> run. Every failure is one sentence and an exit code.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "benches/context.hpp"
#include "benches/exit_code.hpp"
#include "benches/schedule.hpp"

namespace gk::benches {
namespace {

using Json = nlohmann::ordered_json;

void list_names(const std::vector<Block>& blocks) {
  for (const Block& block : blocks) {
    for (const Case& one : block.cases) std::cout << one.name(block.cache) << "\n";
  }
}

void list_json(const std::vector<Block>& blocks, const Arguments& arguments,
               const std::vector<std::string>& command_line) {
  DocumentWriter writer(std::cout);
  writer.begin(
      context_json({.arguments = arguments, .command_line = command_line, .ceilings = {}}));
  for (const Block& block : blocks) {
    for (const Case& one : block.cases) writer.add(listed_json(one, block.cache));
  }
  writer.end(true);
}

// Rows go to the file, to the standard output as JSON, to both, or nowhere.
RowSinks make_sinks(const Arguments& arguments) {
  if (arguments.profile) return {[](const Json&) {}, [](const Json&) {}, [](bool) {}};
  auto file = arguments.out.empty() ? nullptr : std::make_shared<ResultFile>(arguments.out);
  auto stream = arguments.json_to_stdout ? std::make_shared<DocumentWriter>(std::cout) : nullptr;
  return {.begin =
              [=](const Json& context) {
                if (file) file->begin(context);
                if (stream) stream->begin(context);
              },
          .add =
              [=](const Json& row) {
                if (file) file->add(row);
                if (stream) stream->add(row);
              },
          .finish =
              [=](bool complete) {
                if (file) file->finish(complete);
                if (stream) stream->end(complete);
              }};
}

// Every case once more after its verification; a profiler sees little else.
void profile(Session& session) {
  for (std::size_t i = 0; i < session.entries().size(); ++i) {
    const measure::Outcome& outcome = session.next(i);
    std::cout << session.name(session.entries()[i]) << "  "
              << (outcome.measured()
                      ? "profiled: " + outcome.plan
                      : std::string(name_of(outcome.status)) + ": " + outcome.message)
              << std::endl;
  }
}

int run_benchmarks(const Arguments& arguments, std::vector<Block> blocks,
                   const std::vector<std::string>& command_line) {
  const bool progress = isatty(STDERR_FILENO) != 0;
  const bool color = wants_color(arguments.color, isatty(STDOUT_FILENO) != 0);
  std::ostream nowhere(nullptr);
  Console console(arguments.json_to_stdout ? nowhere : std::cout, progress ? &std::cerr : nullptr,
                  color);
  RowSinks sinks = make_sinks(arguments);
  Session session(arguments, std::move(blocks), std::move(sinks), console);
  if (arguments.profile) {
    profile(session);
    return session.finish();
  }
  session.begin(command_line);
  run_with_google_benchmark(session, arguments, &console);
  const int code = session.finish();
  console.summary(session.phases());
  return code;
}

// A closed stream's descriptor would be given to the next file that is opened, and what is printed
// would end up in it.
void open_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) < 0) static_cast<void>(open("/dev/null", O_RDWR));
  }
}

// One line for a terminal: what was quoted from an argument or a file may hold anything.
std::string printable(std::string text) {
  constexpr std::size_t kMost = 1000;
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return text;
}

// Why nothing can be done on the chosen device, or null. CUDA cases are listed wherever they are
// built; the engine has no GPU clock yet.
const char* device_refusal(const Arguments& arguments) {
  if (arguments.device.kind == DeviceKind::kCpu) return nullptr;
  const bool is_built = std::ranges::any_of(
      registry(), [](const Registered& entry) { return entry.device == DeviceKind::kCuda; });
  if (!is_built) return "this build has no CUDA backend";
  const bool only_lists = arguments.list_tests || arguments.list_json;
  return only_lists ? nullptr : "this version lists CUDA benchmarks, and cannot time them yet";
}

int run(const std::vector<std::string>& command_line) {
  const std::vector<std::string> words(command_line.begin() + 1, command_line.end());
  const Arguments arguments = parse_arguments(words, take_environment);
  if (arguments.help) {
    std::cout << help_text();
    return kExitOk;
  }
  if (const char* refusal = device_refusal(arguments)) {
    std::cerr << "gk_bench: --gk_device: " << refusal << "\n";
    return kExitNothingMeasured;
  }
  // Whatever is wrong with the context is said before anything is measured or opened.
  static_cast<void>(
      context_json({.arguments = arguments, .command_line = command_line, .ceilings = {}}));
  std::vector<Block> blocks = select_blocks(arguments);
  if (blocks.empty()) {
    std::cerr << "gk_bench: --benchmark_filter: no benchmark matches '" << arguments.filter
              << "'; --benchmark_list_tests shows the names\n";
    return kExitNothingMeasured;
  }
  if (arguments.list_tests) {
    list_names(blocks);
  } else if (arguments.list_json) {
    list_json(blocks, arguments, command_line);
  } else {
    return run_benchmarks(arguments, std::move(blocks), command_line);
  }
  return kExitOk;
}

}  // namespace
}  // namespace gk::benches

int main(int count, char** words) {
  gk::benches::open_standard_streams();
  try {
    const int code = gk::benches::run({words, words + count});
    std::cout.flush();
    if (std::cout) return code;
    std::cerr << "gk_bench: the standard output could not be written\n";
  } catch (const std::exception& error) {
    std::cerr << "gk_bench: " << gk::benches::printable(error.what()) << "\n";
  }
  return gk::benches::kExitBadInput;
}
