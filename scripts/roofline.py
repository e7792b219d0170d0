#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws result files as rooflines; see --help."""

import sys

from gk.entry import start

if __name__ == "__main__":
    sys.exit(start("roofline_command"))
