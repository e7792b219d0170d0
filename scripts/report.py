#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a folder with figures, summary, page and table of result files; see --help."""

import sys

from gk.entry import start

if __name__ == "__main__":
    sys.exit(start("report_command"))
