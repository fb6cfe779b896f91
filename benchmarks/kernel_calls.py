"""Kernels and compiled C of others, called in a loop in C (``c/kernels.c``): pointers, arrays, places of values."""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

import nsdgen as nsd
from nsdgen.build.flags import compile_flags
from nsdgen.build.loader import load_module

HERE = Path(__file__).parent
_LINE = 8  # doubles in a line of the cache


def spent() -> float:
    """Processor seconds of this process and of those it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def library(source: Path, *options: str) -> tuple[Any, float]:
    """A C file as a library, and the seconds that took."""
    began, target = spent(), source.parent / f"{source.stem}.so"
    subprocess.run(["cc", *compile_flags(), *options, str(source), "-o", str(target), "-lm"], check=True)
    return ctypes.CDLL(str(target)), spent() - began


class Arrays:
    """Pointers to arrays as C takes them; keeps the arrays alive."""

    def __init__(self, arrays: list[np.ndarray]) -> None:
        self.arrays = arrays
        self.pointers = (ctypes.c_void_p * max(len(arrays), 1))(*(a.ctypes.data for a in arrays))


def together(groups: list[list[np.ndarray]]) -> list[list[np.ndarray]]:
    """The same arrays one after the other in one block, each from the start of a line of the cache."""
    lines = [[-(-a.size // _LINE) for a in group] for group in groups]
    block = np.zeros((sum(map(sum, lines)) + 1) * _LINE)
    block = block[-block.ctypes.data // block.itemsize % _LINE :]
    found, place = [], 0
    for group, sizes in zip(groups, lines, strict=True):
        found.append([])
        for a, size in zip(group, sizes, strict=True):
            view = block[place : place + a.size]
            view[:] = a
            found[-1].append(view)
            place += size * _LINE
    return found


def pointer_to(loop: Any, path: Path, name: str, number: int = 0) -> int:
    """The address of a kernel of a class of a module."""
    capsule = ctypes.pythonapi.PyCapsule_GetPointer
    capsule.restype, capsule.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    loop.find.restype, loop.find.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p]
    found: int | None = loop.find(capsule(load_module(path).__nsdgen__, b"nsdgen.abi"), number, name.encode())
    if found is None:
        raise KeyError(name)
    return found


class _Input(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("role", ctypes.c_int32),
        ("size", ctypes.c_int32),
        ("participant", ctypes.c_int32),
    ]


class _Output(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("quantity", ctypes.c_int32),
        ("rows", ctypes.c_int32),
        ("cols", ctypes.c_int32),
        ("nnz", ctypes.c_int32),
        ("depends", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("positions", ctypes.POINTER(ctypes.c_int32)),
        ("participant", ctypes.c_int32),
        ("participant2", ctypes.c_int32),
    ]


class _Kernel(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("role", ctypes.c_int32),
        ("stage", ctypes.c_int32),
        ("n_in", ctypes.c_int32),
        ("n_out", ctypes.c_int32),
        ("inputs", ctypes.POINTER(_Input)),
        ("out", ctypes.POINTER(_Output)),
    ]


def described(kernel: int) -> Any:
    """What a module says of a kernel: ``nsdgen_kernel`` of ``nsdgen_abi.h``."""
    return ctypes.cast(kernel, ctypes.POINTER(_Kernel)).contents


def positions(kernel: int, number: int = 0) -> tuple[np.ndarray, np.ndarray] | None:
    """Rows and columns of the stored values of an output; ``None`` where all are stored."""
    out = described(kernel).out[number]
    if not out.positions:
        return None
    both = np.array(out.positions[: 2 * out.nnz])
    return both[: out.nnz], both[out.nnz :]


def matrix(values: np.ndarray, shape: tuple[int, int], place: tuple[Any, Any] | None) -> np.ndarray:
    """Stored values as a matrix."""
    if place is None:
        return values[: shape[0] * shape[1]].reshape(shape).copy()
    found = np.zeros(shape)
    found[place] = values[: len(place[0])]
    return found


def timing_loop(folder: Path) -> Any:
    """The loops in C, compiled in a folder."""
    source = folder / "loop.c"
    source.write_text((HERE / "c" / "kernels.c").read_text())
    loop, _ = library(source, f"-I{Path(nsd.__file__).parent / 'abi' / 'include'}")
    for name in ("time_kernel", "time_instances", "time_casadi", "time_casadi_instances", "time_pydy"):
        getattr(loop, name).restype = ctypes.c_double
    return loop
