# SPDX-License-Identifier: Apache-2.0
"""The plot of the HTML page: the figure's own SVG, with one element per point on top."""

import re
from collections.abc import Sequence

from matplotlib.markers import MarkerStyle
from matplotlib.path import Path as Outline

from gk import figures, frame
from gk.frame import BELOW, PLOT_HEIGHT, Frame
from gk.points import Point
from gk.roofline import Plot, draw_labels
from gk.series import Marker

_TOP = 6.0
HEIGHT = PLOT_HEIGHT + BELOW + _TOP
_SIZE = 4.2  # as in the figure
_HERE = "layer"  # marks the place of the points among what matplotlib draws


def plot_svg(plot: Plot, sequence: Sequence[int]) -> tuple[str, list[str]]:
    """An `<svg>` in which the n-th point of `sequence` has the id `p<n>`.

    Returns the labels for which there was no room as well. Call it inside `figures.style()`.
    """
    figure = figures.new_figure(HEIGHT)
    area = frame.new_frame(figure, HEIGHT - _TOP, plot.area, plot.scale)
    figures.put_line(figure, [0], [0], gid=_HERE, zorder=5)  # below the labels
    missing = draw_labels(area, plot)
    text = figures.rendered(figure, ".svg").decode("utf-8")
    text = re.sub(r"\s*<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    # The page scales it: only the view box stays.
    text = re.sub(r'^<svg ([^>]*?)(?: (?:width|height)="[^"]*")+', r"<svg \1", text)
    layer = _layer(area, plot, sequence)
    text = re.sub(rf'<g id="{_HERE}">.*?</g>', lambda _: layer, text, count=1, flags=re.DOTALL)
    return text.strip(), missing


def _layer(area: Frame, plot: Plot, sequence: Sequence[int]) -> str:
    looks = [plot.series.of_point[index] for index in sequence]
    ids = {look: f"k{n}" for n, look in enumerate(dict.fromkeys(looks))}
    symbols = "".join(symbol(look, name) for look, name in ids.items())
    marks = [
        _mark(area, plot.picture.points[index], number, ids[look])
        for number, (index, look) in enumerate(zip(sequence, looks, strict=True))
    ]
    return f'<defs>{symbols}</defs><g id="points">{"".join(marks)}</g>'


def _mark(area: Frame, point: Point, number: int, look: str) -> str:
    x, y = area.plane.place(point.intensity, point.height)
    x, y = round(x, 2), round(HEIGHT - y, 2)
    mark = f'<use href="#{look}" x="{x}" y="{y}"'
    if not point.suspect:
        return f'{mark} id="p{number}"/>\n'
    ring = f'<circle class="ring" cx="{x}" cy="{y}" r="4"/>'
    return f'<g id="p{number}">{ring}{mark}/></g>\n'


def symbol(marker: Marker, name: str) -> str:
    """A marker as an SVG group around the origin, as matplotlib draws it."""
    style = MarkerStyle(marker.shape)
    outline = style.get_path().transformed(style.get_transform().scale(_SIZE, -_SIZE))
    fill = "#fff" if marker.hollow else marker.colour
    edge = marker.colour if marker.hollow else "#fff"
    width = 0.9 if marker.hollow else 0.3
    look = f'fill="{fill}" stroke="{edge}" stroke-width="{width}"'
    return f'<path id="{name}" d="{_data(outline)}" {look}/>'


_LETTERS = {Outline.MOVETO: "M", Outline.LINETO: "L", Outline.CURVE3: "Q", Outline.CURVE4: "C"}


def _data(outline: Outline) -> str:
    parts = []
    for numbers, code in outline.iter_segments(simplify=False):
        if code == Outline.CLOSEPOLY:
            parts.append("Z")
        else:
            parts.append(_LETTERS[code] + " ".join(f"{value:.2f}" for value in numbers))
    return "".join(parts)
