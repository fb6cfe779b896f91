"""Files of FCLIB are read: written here with h5py as FCLIB's own writer lays them out, then solved."""

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import block_diag, csc_array, csr_array

from .conftest import benchmark

h5py = pytest.importorskip("h5py")


def write_matrix(group, name, matrix, storage):
    """Datasets nzmax, m, n, nz, p, i, x, as FCLIB has them: nz is the count of triplets, -1 by columns, -2 by rows."""
    into = group.create_group(name)
    made = csc_array(matrix) if storage == -1 else csr_array(matrix)
    count = made.nnz
    i, p = made.indices, made.indptr
    if storage == 0:
        triplets = made.tocoo()
        i, p = triplets.coords
        made = triplets
    for key, value in (("nzmax", count), ("m", matrix.shape[0]), ("n", matrix.shape[1])):
        into[key] = np.array([value], dtype=np.int32)
    into["nz"] = np.array([count if storage == 0 else storage], dtype=np.int32)
    into["i"], into["p"], into["x"] = i.astype(np.int32), p.astype(np.int32), made.data


def problem():
    """Two bodies on each other and on the ground, pulled sideways: M, H, f, w, mu."""
    random = np.random.default_rng(2)
    masses = block_diag([np.diag([m, m, m]) for m in (2.0, 1.0)])
    frames = [np.linalg.qr(random.normal(size=(3, 3)))[0] for _ in range(2)]
    H = np.zeros((6, 6))
    H[:3, :3], H[3:, :3], H[:3, 3:] = -frames[0], frames[0], frames[1]
    push = np.concatenate([-frames[1][:, 0] + 0.2 * frames[1][:, 1], -frames[0][:, 0]])
    return csr_array(masses), csr_array(H), push, np.array([0.0, 0.1, 0.0, 0.0, 0.0, 0.2]), np.array([0.4, 0.7])


@pytest.mark.parametrize("storage", [0, -1, -2], ids=["triplets", "columns", "rows"])
@pytest.mark.parametrize("kind", ["local", "global"])
def test_a_file_is_read_and_solved(tmp_path: Path, kind, storage):
    M, H, f, w, mu = problem()
    W = H.T @ csr_array(np.linalg.inv(M.toarray())) @ H
    q = H.T @ np.linalg.solve(M.toarray(), f) + w
    with h5py.File(tmp_path / "stack.hdf5", "w") as file:
        group = file.create_group(f"fclib_{kind}")
        group["spacedim"] = np.array([3], dtype=np.int32)
        for name, matrix in (("W", W),) if kind == "local" else (("M", M), ("H", H)):
            write_matrix(group, name, matrix, storage)
        vectors = group.create_group("vectors")
        for name, vector in (("q", q), ("mu", mu)) if kind == "local" else (("f", f), ("w", w), ("mu", mu)):
            vectors[name] = vector
    with benchmark("fclib") as fclib:
        path = fclib.converted(tmp_path / "stack.hdf5", tmp_path)
        read = fclib.Problem(path)
        assert abs(read.matrix - W).max() < 1e-14 and np.abs(read.q - q).max() < 1e-14  # rounding of a solution with M
        r = read.solve().z
        assert read.nat_scaled(r) <= fclib.ACCEPTED
    assert r[0] > 0 and r[3] > 0  # both are pressed together


def test_bilateral_rows_of_a_local_problem_are_eliminated(tmp_path: Path):
    """u = W r + V l + q with V^T r + R l + s = 0: the same as W - V R^-1 V^T and q - V R^-1 s."""
    W, V, R, s, q = (
        np.diag([2.0, 1.5, 1.0]),
        np.array([[0.5], [0.1], [0.0]]),
        np.array([[4.0]]),
        [0.3],
        [-1.0, 0.2, 0.1],
    )
    with h5py.File(tmp_path / "bilateral.hdf5", "w") as file:
        group = file.create_group("fclib_local")
        group["spacedim"] = np.array([3], dtype=np.int32)
        for name, matrix in (("W", W), ("V", V), ("R", R)):
            write_matrix(group, name, csr_array(matrix), -1)
        vectors = group.create_group("vectors")
        vectors["q"], vectors["mu"], vectors["s"] = np.array(q), np.array([0.5]), np.array(s)
    with benchmark("fclib") as fclib:
        read = fclib.Problem(fclib.converted(tmp_path / "bilateral.hdf5", tmp_path))
    assert np.allclose(read.matrix.toarray(), W - V @ V.T / 4.0, atol=1e-15)
    assert np.allclose(read.q, np.array(q) - V[:, 0] * 0.3 / 4.0, atol=1e-15)
