"""Where a sweep keeps its results while it runs: a Zarr store of one row for each member, or memory.

A part of the members is written whole, its mark last: what was killed in between is computed again. The store takes
its place under its name in one step, with its identity, so that the same sweep goes on and another one is refused.
"""

from __future__ import annotations

import json
import os
import shutil
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from nsdgen.errors import ParameterError
from nsdgen.study.optional import require

__all__ = ["MEMBER", "Store"]

MEMBER = "member"
"""The dimension of the store."""

_MARK = "done"
_IDENTITY = "nsdgen_sweep"


class Store:
    """A table of members on disk, part by part, in a folder ``.zarr``; raises ``ParameterError`` for one of another."""

    def __init__(self, path: str | os.PathLike[str], identity: Mapping[str, Any], members: int, part: int) -> None:
        self.path, self.identity, self.members, self.part = Path(path), dict(identity), members, part
        if self.path.suffix != ".zarr":
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

    def missing(self) -> Iterator[tuple[int, int]]:
        """Begin and end of the parts that are not there."""
        done = self._done()
        for begin in range(0, self.members, self.part):
            end = min(begin + self.part, self.members)
            if not done[begin:end].all():
                yield begin, end

    def _done(self) -> np.ndarray:
        if not self.path.exists():
            return np.zeros(self.members, dtype=bool)
        with _quiet(), self._opened() as known:
            return np.asarray(known[_MARK].values, dtype=bool)

    def write(self, part: Any, begin: int, end: int) -> None:
        """Put the data set of some members into its place."""
        import xarray

        if not self.path.exists():
            self._create(part)
        region = {MEMBER: slice(begin, end)}
        with _quiet():
            part.drop_vars([n for n in part.variables if MEMBER not in part[n].dims]).to_zarr(self.path, region=region)
            marks = xarray.Dataset({_MARK: (MEMBER, np.ones(end - begin, dtype="i1"))})
            marks.to_zarr(self.path, region=region)

    def _create(self, part: Any) -> None:
        """An empty store of the kind of this part, under its name at once."""
        import xarray

        def whole(variable: Any) -> Any:
            if MEMBER not in variable.dims:
                return variable
            shape = tuple(self.members if d == MEMBER else n for d, n in variable.sizes.items())
            empty = np.full(shape, "" if variable.dtype.kind in "OUT" else np.nan if variable.dtype.kind == "f" else 0)
            return xarray.Variable(variable.dims, empty.astype(variable.dtype), variable.attrs)

        template = xarray.Dataset(
            {name: whole(v.variable) for name, v in part.data_vars.items()},
            {name: whole(v.variable) for name, v in part.coords.items()},
            {**part.attrs, _IDENTITY: json.dumps(self.identity, sort_keys=True)},
        )
        template[_MARK] = (MEMBER, np.zeros(self.members, dtype="i1"))
        chunks = {
            name: {"chunks": tuple(min(self.part, n) if d == MEMBER else max(n, 1) for d, n in v.sizes.items())}
            for name, v in template.variables.items()
            if MEMBER in v.dims
        }
        begun = self.path.with_name(f"{self.path.name}.{os.getpid()}.part")
        try:
            with _quiet():
                template.to_zarr(begun, mode="w", encoding=chunks, consolidated=False)
            os.rename(begun, self.path)
        except OSError as error:
            raise ParameterError(
                f"{str(self.path)!r} cannot be written: {error.strerror}", where="out", fix="choose another place"
            ) from error
        finally:
            shutil.rmtree(begun, ignore_errors=True)

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        import xarray

        with xarray.open_zarr(self.path, chunks=None, consolidated=False) as known:
            yield known

    def whole(self) -> Any:
        """The data set of all members, read into memory."""
        with _quiet(), self._opened() as known:
            return known.load()


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what Zarr warns of texts: their format has no number yet."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
