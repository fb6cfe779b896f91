"""The matrices of a linear mechanical model with contacts, read from its operators: what a peer can be given."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

import nsdgen as nsd
from nsdgen.study.compiled_model import CompiledModel

from .case import Case

__all__ = ["mechanical_form"]

Array = NDArray[np.float64]
OSI = {nsd.MoreauJean: "MoreauJean", nsd.SchatzmanPaoli: "SchatzmanPaoli", nsd.D1Minus: "D1Minus"}


def mechanical_form(case: Case, compiled: CompiledModel) -> dict[str, Any] | None:
    """M q'' + C q' + K q = f of every system, gaps and sliding rates H q + b with their laws; None for other models."""
    model = case.model
    scheme = model.schemes[0]
    if type(scheme) not in OSI or getattr(scheme, "projection", None) or model.blocks:
        return None
    laws = [getattr(r, "prototype", r).law for r in model.relations for _ in range(getattr(r, "count", 1))]
    systems = [_system(record, compiled) for record in compiled.record.systems]
    contacts = [
        _contact(record, law, model, compiled) for record, law in zip(compiled.record.relations, laws, strict=True)
    ]
    if None in systems or None in contacts:
        return None
    return {"systems": systems, "contacts": contacts, "theta": getattr(scheme, "theta", 0.5), "osi": OSI[type(scheme)]}


def _system(record: Any, compiled: CompiledModel) -> dict[str, Any] | None:
    """M, C, K, f, q0 and v0 of a system whose mass is constant and whose force is affine and does not move."""
    own = compiled[record.name]
    if not hasattr(own, "kinetic_energy") or hasattr(own, "twist_map"):
        return None
    start = np.array(record.initial, dtype=float)
    n = len(start) // 2

    def force(q: Array, v: Array, t: float = 0.0) -> Array:
        return np.ravel(own.force(t, q, v))

    mass = np.reshape(own.mass(start[:n]), (n, n))
    zero = np.zeros(n)
    f = force(zero, zero)
    K, C = (
        np.column_stack([f - force(*pair) for pair in pairs])
        for pairs in ([(e, zero) for e in np.eye(n)], [(zero, e) for e in np.eye(n)])
    )
    rng = np.random.default_rng(0)
    for t in (0.1, 0.7):
        q, v = rng.normal(size=(2, n))
        sizes = np.abs(K) @ np.abs(q) + np.abs(C) @ np.abs(v) + np.abs(f)
        moves = np.any(np.reshape(own.mass(q), (n, n)) != mass)
        if moves or np.any(np.abs(force(q, v, t) - f + K @ q + C @ v) > 1e-12 * sizes):
            return None
    return {
        "M": mass.tolist(),
        "C": C.tolist(),
        "K": K.tolist(),
        "f": f.tolist(),
        "q0": start[:n].tolist(),
        "v0": start[n:].tolist(),
    }


def _contact(record: Any, law: nsd.Law, model: nsd.Model, compiled: CompiledModel) -> dict[str, Any] | None:
    """H (a list for each participant), b, which systems, e, e_t and mu of a contact with an affine gap."""
    if not isinstance(law, nsd.NewtonImpact | nsd.NewtonImpactFriction | nsd.Complementarity):
        return None
    own = compiled[record.name]
    taking_part = list(record.participants)
    sizes = [len(compiled.record.systems[i].initial) // 2 for i in taking_part]
    suffixes = [f"_{i + 1}" for i in range(len(sizes))] if len(sizes) > 1 else [""]
    rng = np.random.default_rng(1)
    found = []
    for t in (0.0, 0.4, 1.1):
        q = [rng.normal(size=n) for n in sizes]
        rows = ["gap_twist", "sliding_twist"] if law.tangents else ["gap_twist"]
        H = [
            np.vstack([np.reshape(own[f"{name}{s}"](t, *q), (-1, n)) for name in rows])
            for s, n in zip(suffixes, sizes, strict=True)
        ]
        offset = np.ravel(own.gap(t, *q))[0] - sum(h[0] @ x for h, x in zip(H, q, strict=True))
        found.append(np.concatenate([*(h.ravel() for h in H), [float(offset)]]))
    if max(np.ptp(found, axis=0)) > 1e-12 * np.abs(found).max():
        return None
    values = _values(model)
    coefficients = [
        float(sp.sympify(getattr(law, name, 0)).subs(values))
        for name in ("restitution", "tangential_restitution", "friction")
    ]
    return {
        "H": [h.tolist() for h in H],
        "b": float(offset),
        "systems": taking_part,
        "law": coefficients,
        "friction": bool(law.tangents),
    }


def _values(model: nsd.Model) -> dict[sp.Symbol, float]:
    """The parameters' default values."""
    return {symbol: getattr(value, "value", value) for symbol, value in model.parameters.items()}
