"""Where a sweep keeps its results while it runs: a Zarr store of one row for each member, or memory.

A part of the members is written whole, its mark last: what was killed in between is computed again. The store takes
its place under its name in one step, with its identity, so that the same sweep goes on and another one is refused.
"""

import json
import os
import shutil
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from nsdgen.errors import ParameterError
from nsdgen.study.optional import require

MEMBER = "member"
"""The dimension of the store."""

_MARK = "done"
_IDENTITY = "nsdgen_sweep"


class Store:
    """A table of members on disk, part by part, in a folder ``.zarr``; raises ``ParameterError`` for one of another."""

    def __init__(self, path: str | os.PathLike[str], identity: Mapping[str, Any], members: int) -> None:
        self.path = Path(path if isinstance(path, str | os.PathLike) else "")
        self.identity, self.members = dict(identity), members
        self.part = members
        if ".zarr" not in (self.path.suffix, self.path.parent.suffix):
            raise ParameterError(
                f"a sweep cannot be kept as {str(path)!r}", where="out", fix="use a folder name that ends with .zarr"
            )
        require("zarr", "study", "a sweep on disk")
        if self.path.exists():
            self._check()

    def _check(self) -> None:
        """Refuse a folder that is no sweep, and another sweep."""
        import zarr

        fix = "give another folder, or remove this one"
        try:
            known = json.loads(zarr.open_group(self.path, mode="r").attrs[_IDENTITY])  # type: ignore[arg-type]
        except Exception as error:  # whatever Zarr says of what it cannot read
            raise ParameterError(f"{str(self.path)!r} is there and holds no sweep", where="out", fix=fix) from error
        differs = [name for name in {**known, **self.identity} if known.get(name) != self.identity.get(name)]
        if differs:
            raise ParameterError(
                f"{str(self.path)!r} holds another sweep: it differs in {', '.join(differs)}", where="out", fix=fix
            )

    def missing(self, part: int) -> list[tuple[int, int]]:
        """Begin and end of the parts that are not there: of so many members, or as the store has them."""
        self.part, done = part, np.zeros(self.members, dtype=bool)
        if self.path.exists():
            marks = self._group()[_MARK]
            self.part, done = marks.chunks[0], np.asarray(marks[:], dtype=bool)
        parts = [(begin, min(begin + self.part, self.members)) for begin in range(0, self.members, self.part)]
        return [(begin, end) for begin, end in parts if not done[begin:end].all()]

    def write(self, data: Any, begin: int, end: int) -> None:
        """Put the data set of some members, whole parts, into its place; their mark comes last.

        Straight into the arrays: what xarray does besides takes as long again, in the one process that writes.
        """
        data = data.drop_vars([n for n in data.variables if MEMBER not in data[n].dims])
        if not self.path.exists():
            self._create(data)
        group = self._group()
        with _quiet():
            for name, variable in self._fitted(data, group).variables.items():
                group[name][tuple(slice(begin, end) if d == MEMBER else slice(None) for d in variable.dims)] = (
                    variable.values
                )
            group[_MARK][begin:end] = 1

    def _fitted(self, data: Any, group: Any) -> Any:
        """The data as long as the store has it; the store becomes longer, or gets what it has not, where they want."""
        new = [name for name in data.variables if name not in group]
        if new:
            self._template(data[new]).drop_vars(_MARK).to_zarr(self.path, mode="a", consolidated=False)
        sizes: dict[Any, int] = {}
        for _, array in group.arrays():
            dims = array.metadata.dimension_names or ()
            wanted = {d: max(n, data.sizes.get(d, 0)) for d, n in zip(dims, array.shape, strict=True)}
            wanted[MEMBER] = self.members
            sizes |= wanted
            if (shape := tuple(wanted[d] for d in dims)) != array.shape:
                array.resize(shape)
        return data.pad(_short(data, sizes), constant_values=np.nan)

    def _create(self, data: Any) -> None:
        """An empty store of the kind of this data, under its name at once."""
        begun = self.path.with_name(f"{self.path.name}.{os.getpid()}.part")
        try:
            self.path.parent.mkdir(exist_ok=True)
            with _quiet():
                template = self._template(data)
                template.attrs = {**data.attrs, _IDENTITY: json.dumps(self.identity, sort_keys=True)}
                template.to_zarr(begun, mode="w", consolidated=False)
            os.rename(begun, self.path)
        except OSError as error:
            raise ParameterError(
                f"{str(self.path)!r} cannot be written: {error.strerror}", where="out", fix="choose another place"
            ) from error
        finally:
            shutil.rmtree(begun, ignore_errors=True)

    def _template(self, data: Any) -> Any:
        """All members without their values: NaN, empty texts, zeros."""
        import xarray

        def whole(variable: Any) -> Any:
            shape = tuple(self.members if d == MEMBER else n for d, n in variable.sizes.items())
            kind = variable.dtype.kind
            empty = np.full(shape, "" if kind in "OUT" else np.nan if kind == "f" else 0).astype(variable.dtype)
            chunks = tuple(min(self.part, n) if d == MEMBER else max(n, 1) for d, n in variable.sizes.items())
            gained = {"fill_value": np.nan} if kind == "f" else {}  # by a store that becomes longer
            return xarray.Variable(variable.dims, empty, variable.attrs, {"chunks": chunks, **gained})

        template = xarray.Dataset(
            {name: whole(v.variable) for name, v in data.data_vars.items()},
            {name: whole(v.variable) for name, v in data.coords.items()},
        )
        template[_MARK] = whole(xarray.Variable(MEMBER, np.zeros(self.members, dtype="i1")))
        return template

    def _group(self) -> Any:
        import zarr

        return zarr.open_group(self.path, mode="r+", use_consolidated=False)

    def whole(self) -> Any:
        """The data set of all members, read into memory."""
        import xarray

        with _quiet(), xarray.open_zarr(self.path, chunks=None, consolidated=False) as known:
            found = known.load().drop_vars(_MARK)
        found.attrs.pop(_IDENTITY, None)
        return found


def joined(pieces: Sequence[Any]) -> Any:
    """Data sets of members one after the other: as long as the longest, with NaN for what one has not."""
    import xarray

    if len(pieces) == 1:
        return pieces[0]
    most: dict[Any, int] = {}
    for piece in pieces:
        most |= {d: max(n, most.get(d, 0)) for d, n in piece.sizes.items() if d != MEMBER}
    padded = [piece.pad(_short(piece, most), constant_values=np.nan) for piece in pieces]
    return xarray.concat(padded, MEMBER, data_vars="all", join="outer", combine_attrs="override")


def _short(data: Any, sizes: Mapping[Any, int]) -> dict[Any, tuple[int, int]]:
    """What some data lack at the end of each dimension but that of members."""
    short = {d: n - data.sizes[d] for d, n in sizes.items() if d in data.sizes and d != MEMBER}
    return {d: (0, n) for d, n in short.items() if n}


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what Zarr warns of texts: their format has no number yet."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
