# SPDX-License-Identifier: Apache-2.0
"""Starts a command, and says in one sentence what it lacks to start."""

import importlib
import os
import sys

from gk.errors import ExitCode


def start(module: str) -> int:
    """Run `main(arguments)` of a module of this package; returns its exit code.

    A Python without the packages of requirements.txt ends with 2 and how to get them.
    """
    try:
        command = importlib.import_module(f"gk.{module}")
    except ModuleNotFoundError as error:
        hint = "python3 -m pip install -r scripts/requirements.txt"
        print(f"{sys.argv[0]}: needs the package '{error.name}': {hint}", file=sys.stderr)
        return int(ExitCode.BAD_INPUT)
    try:
        code = command.main(sys.argv[1:])
        sys.stdout.flush()  # here, and not at exit, where a failure cannot be answered for
        return code
    except BrokenPipeError:  # whoever read us has seen enough, as in `roofline.py FILE | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return int(ExitCode.OK)
