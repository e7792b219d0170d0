#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds, counts what the CUDA kernels move; arguments go to scripts/audit.py, see --help.
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
install_packages build test
install_python
build cpu gk_audit
exec "$root/.venv/bin/python" "$root/scripts/audit.py" "$@"
