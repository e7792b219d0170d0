# SPDX-License-Identifier: Apache-2.0
"""Fixtures: the commands run in this process."""

import pytest

from gk import report_command, roofline_command


@pytest.fixture
def main(capsys):
    """roofline.py: exit code, stdout, stderr."""

    def call(*arguments, command=roofline_command):
        code = command.main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture
def report(main):
    """The same for report.py."""
    return lambda *arguments: main(*arguments, command=report_command)


@pytest.fixture
def failing(main):
    """roofline.py when it must fail with a code and exactly one sentence; returns all it said."""

    def call(code, *arguments):
        got, out, err = main(*arguments)
        assert got == code
        assert err.startswith("roofline.py: ")
        assert err.count("\n") == 1
        return out + err

    return call
