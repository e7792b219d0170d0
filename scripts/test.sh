#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds, and runs every test, linter and format check.
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

if [ "${1:-}" = --help ] || [ "${1:-}" = -h ]; then
  cat <<'HELP'
scripts/test.sh
  Installs what is missing (as root, on Debian 12), then: format and lint of C++, Python and shell;
  the C++ and Python tests of the release build; the C++ tests under AddressSanitizer and
  UndefinedBehaviorSanitizer. Stops at the first failure.
HELP
  exit 0
fi
cd "$root"

install_packages build test
install_python

sources() { git ls-files --cached --others --exclude-standard -- "$@"; }

say "Format"
sources '*.cpp' '*.hpp' | xargs clang-format-16 --dry-run --Werror
.venv/bin/ruff format --check .
say "Lint: shell and Python"
sources '*.sh' .ci/run | xargs shellcheck -x
.venv/bin/ruff check .

say "Build: release"
build cpu
say "Build: sanitizers"
build asan gk_test gk_bench gk_bench_faulty

say "Lint: C++"
# In parallel, one file each; headers are checked where they are included.
sources '*.cpp' | xargs -P "$jobs" -n 1 clang-tidy-16 -p build/cpu --quiet --warnings-as-errors='*' \
  --extra-arg=-Wno-unknown-warning-option \
  2> >(grep -v 'warnings generated' >&2)

say "Tests: release"
ctest --test-dir build/cpu --output-on-failure -j "$jobs"
say "Tests: sanitizers"
# oneDNN and libgomp keep memory until the process ends: leaks are looked for in our own tests only.
ASAN_OPTIONS=detect_leaks=0 build/asan/tests/gk_test --gtest_brief=1
ASAN_OPTIONS=detect_leaks=0 GK_BUILD=build/asan .venv/bin/python -m pytest \
  tests/scripts/command_line_test.py -k 'bad_input or failing or hanging or exit_codes'
say "Tests: command line, reader, figures"
.venv/bin/python -m pytest
say "All passed"
