# SPDX-License-Identifier: Apache-2.0
"""What the tests of figures share: pictures of files, drawn or composed, and the commands."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from gk import figures, machines, results, roofline, roofs
from gk.pairs import pairs_of
from gk.points import Selection
from gk.roofline import Picture
from gk.sorting import sort_rows
from gk.study import compose

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
H100 = machines.find_device("h100_sxm")


def run(script, *arguments, **keywords):
    """A command in a process of its own."""
    command = [sys.executable, str(SCRIPTS / script), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **keywords)


def sorted_rows(path, device=None):
    """The file, its roofs, and its rows sorted under them."""
    file = results.read(path)
    source = roofs.datasheet_roofs(device) if device else roofs.measured_roofs(file.context)
    return file, source, sort_rows(file.rows, source, Selection(), project=device is not None)


def picture_of(path, device=None, pairs=False):
    file, source, found = sorted_rows(path, device)
    picture = Picture("A title", "a subtitle", found.points, (source,), hollow=device is not None)
    made = pairs_of(found.points, file.context, source, device is not None) if pairs else ()
    return replace(picture, pairs=tuple(made))


def drawn(path, device=None, pairs=False):
    with figures.style():
        return roofline.draw(picture_of(path, device, pairs))


def composed(path, device=None):
    file, source, found = sorted_rows(path, device)
    return compose([file], found, (source,), device)


def texts_of(figure):
    return [text.get_text() for text in figure.texts]
