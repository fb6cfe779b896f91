"""Where curves are drawn: the axes a caller gives, or the panels of a new figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from nsdgen.errors import ParameterError
from nsdgen.study.curves import literal
from nsdgen.study.looks import Look, look_of
from nsdgen.study.optional import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LEGEND = 24  # curves in a panel that a legend above it can tell apart
_INSIDE = 12  # and one within the axes of a caller
_ROW = 0.17  # inches of a row of a legend
_LINE, _LETTER = 0.45, 0.078  # inches of what stands before a name in a legend, and of a letter
_WIDE = 6.9  # inches for a legend
_TITLE = 88  # letters of a title in one line
_SEARCHED = 20_000  # points of curves among which a place for a legend is looked for in a moment


@dataclass(frozen=True, eq=False)
class Canvas:
    """A figure and the axes to draw into; ``own`` if the figure was made for them."""

    figure: Figure
    axes: tuple[Axes, ...]
    own: bool
    look: Look

    def legend(self, place: Axes, names: Sequence[str], *, enlarged: float = 1.0) -> None:
        """Tell several curves apart: above the panel in a figure of ours, else inside; markers there ``enlarged``."""
        if not 1 < len(names) <= (_LEGEND if self.own else _INSIDE):
            return
        small: dict[str, Any] = {
            "fontsize": 0.83 * self.look.points if self.own else "small",
            "frameon": False,
            "handlelength": 2.0,
            "columnspacing": 1.2,
            "markerscale": enlarged,
            **({"labelcolor": self.look.ink} if self.own else {}),
        }
        if self.own:
            columns = _legend_columns(names, self.look)
            place.legend(ncols=columns, loc="lower right", bbox_to_anchor=(1.0, 0.99), borderaxespad=0.0, **small)
        else:  # where it covers least
            few = sum(np.size(curve.get_xdata()) for curve in place.lines) <= _SEARCHED
            place.legend(loc="best" if few else "upper right", **small)

    def scale(self, place: Axes, *, counts: bool) -> None:
        """In a figure of ours: time fills the panel, and counts show no fractions."""
        if not self.own:
            return
        place.margins(x=0.01)
        if counts:
            from matplotlib.ticker import MaxNLocator

            place.yaxis.set_major_locator(MaxNLocator(integer=True))


def legend_height(names: Sequence[str], look: Look) -> float:
    """Inches a legend of these names needs beyond the one or two rows every panel has room for."""
    if not 1 < len(names) <= _LEGEND:
        return 0.0
    rows = -(-len(names) // _legend_columns(names, look))
    return _ROW * max(rows - 2, 0)


def _legend_columns(names: Sequence[str], look: Look) -> int:
    width = (_LINE + _LETTER * max(map(len, names))) * look.points / 10.0
    return max(1, min(len(names), 4, int((look.width or _WIDE) / width)))


def canvas(
    title: str, axes: Axes | Sequence[Axes] | None, panels: int, size: tuple[float, float], look: str = "screen"
) -> Canvas:
    """The given ``axes`` (one, or one per panel), or a new figure of ``size`` inches.

    Axes that are given keep their looks. Raises ParameterError when the numbers disagree, for an unknown look, and when
    matplotlib is missing.
    """
    require("matplotlib", "plots", "a plot")
    chosen = look_of(look)
    if axes is None:
        return _new(title, panels, size, chosen)
    places = tuple(_flat(axes))
    if len(places) not in (1, panels):
        raise ParameterError(
            f"{len(places)} axes were given for {panels} panels", fix=f"give one axes for all curves, or {panels}"
        )
    figure: Any = places[0].figure  # perhaps a subfigure, whose figure is the whole
    return Canvas(figure.figure, places, own=False, look=chosen)


def _flat(axes: Any) -> Iterator[Axes]:
    """One axes, or those of a sequence or of an array of any shape, as ``subplots`` returns."""
    if hasattr(axes, "plot"):
        return iter([axes])
    return iter(axes.flat if hasattr(axes, "flat") else axes)


def _new(title: str, panels: int, size: tuple[float, float], look: Look) -> Canvas:
    from matplotlib.figure import Figure

    # A narrow figure is as high as a wide one for each panel, up to the size of its letters.
    width, height = size if look.width is None else (look.width, size[1] * max(look.width / size[0], 0.62))
    figure = Figure(figsize=(width, height), layout="constrained")
    look.dress_figure(figure)
    places = tuple(figure.subplots(panels, 1, sharex=True, squeeze=False)[:, 0])
    for place in places:
        look.dress(place)
    if look.titled:
        figure.suptitle(literal(_wrapped(title)), x=0.01, ha="left", fontsize="medium", color=look.ink)
    figure.align_ylabels(places)
    return Canvas(figure, places, own=True, look=look)


def _wrapped(title: str) -> str:
    """A long title in several lines, broken after commas."""
    glued = title.replace(" ", "\N{NO-BREAK SPACE}").replace(",\N{NO-BREAK SPACE}", ", ")
    return fill(glued, _TITLE, break_on_hyphens=False).replace("\N{NO-BREAK SPACE}", " ")
