#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds, counts what the CUDA kernels move. All arguments go to
# scripts/audit.py; see --help.
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

if asks_for_help "$@"; then
  exec python3 "$root/scripts/audit.py" --help
fi
install_packages build test
install_python
build_with_cuda cpu gk_audit
exec "$root/.venv/bin/python" "$root/scripts/audit.py" "$@"
