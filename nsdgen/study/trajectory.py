"""The trajectory a user meets: what a run recorded, and files, plots and summaries of it.

Input: what the runtime recorded. Output: arrays by name, files, tables, plots.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nsdgen.study.samples import Samples

if TYPE_CHECKING:
    import xarray

    from nsdgen.study.animation.animate import MovingPage
    from nsdgen.study.diagnosis import Diagnosis
    from nsdgen.study.events import Events
    from nsdgen.study.plot import Plot


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory(Samples):
    """What a run recorded, read-only, with what can be done with it: saved, plotted, shown.

    See :class:`~nsdgen.study.samples.Samples` for its fields and how columns are looked up; ``origin`` is the
    compiled model that made it, None where it was read from a file.
    """

    origin: Any = None

    @property
    def drawing(self) -> Any:
        """What gives pictures of it at some rows; None where nobody knows."""
        return getattr(self.origin, "drawing", None)

    @property
    def events(self) -> Events:
        """Where quantities were zero that are events of the scheme, cut its steps or end the run; in order."""
        from nsdgen.study.events import events_of

        return events_of(self)

    @property
    def dataset(self) -> xarray.Dataset:
        """An xarray Dataset with units and coordinates; its arrays are views of this record.

        Raises ParameterError when xarray is not installed.
        """
        from nsdgen.study.variables import to_dataset

        return to_dataset(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the record to ``path``: ``.nc`` (NetCDF), ``.npz`` (NumPy) or ``.csv``, a table
        with the heading ``time [s], ball.z [m], ...`` that gives the same doubles.

        The file appears complete or not at all. Raises ParameterError for another
        suffix and for a place that cannot be written.
        """
        from nsdgen.study.files import save

        save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Trajectory:
        """The record a ``.nc`` or ``.npz`` file holds, equal bit by bit to the one saved.

        Raises ParameterError when the file is missing, damaged or from elsewhere.
        """
        from nsdgen.study.files import load

        read = load(path)
        return cls(read.model, read.time, read.table, read.columns, read.attributes)

    def plot(self, *names: str | Sequence[str], **options: Any) -> Plot:
        """Draw quantities against time; see `nsdgen.study.plot.plot`."""
        from nsdgen.study.plot import plot

        return plot(self, *names, **options)

    def phase_plot(self, name: str, **options: Any) -> Plot:
        """Draw a quantity against its rate; see `nsdgen.study.plot.phase_plot`."""
        from nsdgen.study.plot import phase_plot

        return phase_plot(self, name, **options)

    def animate(self, path: str | os.PathLike[str] | None = None, *plotted: str, **options: Any) -> MovingPage | None:
        """Write the run as a page that moves in a browser; see `nsdgen.study.animation.animate.animate`.

        The page is returned, written or not; in a notebook it shows itself.
        """
        from nsdgen.study.animation.animate import animate

        return animate(self, path, plotted, **options)

    def diagnose(self, model: Any = None) -> Diagnosis:
        """Penetration, drift, iterations, lost ranks, events and the balance of energy: `nsdgen.study.diagnosis`.

        ``model`` is the model that it was made by, for trajectories from files.
        """
        from nsdgen.study.diagnosis import diagnose

        return diagnose(self, model.compile() if hasattr(model, "compile") else model or self.origin)

    def __repr__(self) -> str:
        from nsdgen.study.summary import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from nsdgen.study.summary import as_html

        return as_html(self)
