# SPDX-License-Identifier: Apache-2.0
"""How our figures look, and how they are saved: same input, same bytes."""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont, get_font
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import Affine2D, Transform

from gk.errors import GkError, printable
from gk.outputs import write_file

COLUMN_MM = 85.0  # a journal's column
COLUMN_PT = COLUMN_MM / 25.4 * 72
TEXT_PT = 6.0  # the smallest text at that width
TITLE_PT = 7.0
INK, FAINT = "0.0", "0.55"

# Okabe and Ito's palette without yellow, which vanishes on white; shapes differ as well, in a
# cycle of another length, so that 7 * 10 series stay apart even where colours are lost.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", "p", ">")

_RC = {
    "font.family": "DejaVu Sans",  # ships with matplotlib: the same on every machine
    "font.size": TEXT_PT,
    "text.parse_math": False,  # a benchmark's name may hold a dollar sign
    "text.hinting": "none",  # hinted widths differ between resolutions
    "axes.linewidth": 0.5,
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "gk_bench",
}
_METADATA = {
    ".png": {"Software": "gk_bench"},
    ".svg": {"Date": None, "Creator": "gk_bench"},
    ".pdf": {"CreationDate": None, "Creator": "gk_bench", "Producer": "gk_bench"},
}
_LONGEST = 500  # characters of one text: a file may hold megabytes of it
SUFFIXES = tuple(_METADATA)
DPI = 300
_TALLEST_PT = 65_000 / DPI * 72  # a PNG has fewer than 2^16 pixels a side


@contextmanager
def style() -> Iterator[None]:
    """Everything is drawn and saved inside this, untouched by the user's own matplotlibrc."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_RC)
        yield


def new_figure(height_pt: float) -> Figure:
    """An empty figure of one column's width. Raises GkError (2) for one that is too tall."""
    if height_pt > _TALLEST_PT:
        raise GkError("too many points for one picture: choose fewer of them")
    figure = Figure(figsize=(COLUMN_PT / 72, height_pt / 72), dpi=DPI)
    FigureCanvasAgg(figure)
    return figure


def rendered(figure: Figure, kind: str) -> bytes:
    """The bytes of a `.png`, `.svg` or `.pdf` file."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind[1:], metadata=_METADATA[kind])
    return buffer.getvalue()


def save(figure: Figure, path: Path) -> None:
    """Write PNG, SVG or PDF, by the suffix. Raises GkError (2) where that is impossible."""
    write_file(path, rendered(figure, path.suffix.lower()))


def points(figure: Figure) -> Transform:
    """From points (1/72 inch, origin at the lower left) to the display."""
    return Affine2D().scale(1 / 72) + figure.dpi_scale_trans


def put_text(figure: Figure, x: float, y: float, text: str, **style: object) -> Text:
    """Text at (x, y) in points; by default its baseline starts there."""
    return figure.text(x, y, drawable(text), transform=points(figure), **style)


def put_line(figure: Figure, xs: Sequence[float], ys: Sequence[float], **style: object) -> None:
    """A line, or markers, at places in points."""
    figure.add_artist(Line2D(xs, ys, transform=points(figure), **style))


@cache
def _glyphs() -> frozenset[int]:
    """The code points that the figures' font has."""
    return frozenset(get_font(findfont("DejaVu Sans")).get_charmap())


def drawable(text: str) -> str:
    """`text` as the font can draw it: what it lacks, and what could harm, becomes `?`."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if ord(c) in _glyphs() else "?" for c in printable(text))


@cache
def _renderer() -> object:
    return FigureCanvasAgg(Figure(dpi=DPI)).get_renderer()


@cache
def text_width(text: str, size: float = TEXT_PT, weight: str = "normal") -> float:
    """Width in points of one line of text."""
    font = Text(0, 0, "", fontsize=size, fontweight=weight).get_fontproperties()
    width, _, _ = _renderer().get_text_width_height_descent(drawable(text), font, False)
    return width * 72 / DPI


def wrap(text: str, width: float, size: float = TEXT_PT, weight: str = "normal") -> list[str]:
    """Lines no wider than `width` points; a word that is too wide alone is cut."""
    lines, line = [], ""
    text = text if len(text) <= _LONGEST else text[:_LONGEST] + "..."
    for word in drawable(text).split():
        longer = f"{line} {word}" if line else word
        if text_width(longer, size, weight) <= width:
            line = longer
            continue
        if line:
            lines.append(line)
        *cut, line = _cut(word, width, size, weight)
        lines += cut
    return [*lines, line] if line else lines or [""]


def shorten(text: str, width: float) -> str:
    """One line no wider than `width` points, with dots where its end is missing."""
    text = drawable(text[:_LONGEST])
    if text_width(text) <= width:
        return text
    while text and text_width(f"{text}...") > width:
        text = text[:-1]
    return f"{text}..."


def _cut(word: str, width: float, size: float, weight: str) -> list[str]:
    """Pieces of one long word, cut after an underscore where there is one."""
    pieces = [""]
    for character in word:
        if pieces[-1] and text_width(pieces[-1] + character, size, weight) > width:
            kept = pieces[-1].rfind("_") + 1 or len(pieces[-1])
            pieces[-1:] = [pieces[-1][:kept], pieces[-1][kept:]]
        pieces[-1] += character
    return pieces
