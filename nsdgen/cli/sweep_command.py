"""``nsdgen sweep``: models over many values, kept in a folder; the same command again goes on."""

import argparse
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from nsdgen.errors import ModelError, ParameterError


def execute(options: argparse.Namespace) -> int:
    """Run what is missing of the sweep and say how it went; what was computed is kept whatever happens."""
    from nsdgen.cli.target import check_target, check_writable, parse_target
    from nsdgen.study.sweep.sweep import sweep

    if not options.models:
        raise ModelError("no model is named", fix="write nsdgen sweep MODEL.py -p NAME=FROM:TO:COUNT")
    targets = [parse_target(text) for text in options.models]
    for target in targets:
        check_target(target, "sweep")
    check_writable(options.netcdf, "--netcdf")
    models = _by_name(targets, options)
    varied = {**options.parameter, **options.initial, **options.scheme}
    over = {name: value for name, value in varied.items() if isinstance(value, np.ndarray | tuple)}
    if options.step is not None and not isinstance(options.step, float):
        over["step"] = options.step

    def fixed(given: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in given.items() if name not in over}

    began = time.perf_counter()
    found = sweep(
        models if len(models) > 1 else next(iter(models.values())),
        over,
        design=options.design or "grid",
        members=options.members,
        seed=options.seed or 0,
        last=options.last,
        reduce=options.reduce,
        samples=options.samples or (),
        every=1 if options.every is None else options.every,
        since=options.since,
        events=options.events or (),
        out=options.out,
        part=options.part,
        scheduler=options.scheduler,
        progress=not options.quiet,
        parameters=fixed(options.parameter),
        initial=fixed(options.initial),
        options=fixed(options.scheme),
        end=options.end,
        step=options.step if "step" not in over else None,
    )
    if not options.quiet:
        failed = [str(why) for why in found.failure.values.ravel() if why]
        print(found)
        print(f"\n{found.failure.size} members in {time.perf_counter() - began:.1f} s, {len(failed)} failed")
        for why in list(dict.fromkeys(failed))[:3]:
            print(f"  {why}")
        if options.out is not None:
            print(f"saved {options.out}")
    if options.netcdf is not None:
        found.to_netcdf(options.netcdf, engine="scipy")
        if not options.quiet:
            print(f"saved {options.netcdf}")
    return 0


def _by_name(targets: Sequence[Any], options: argparse.Namespace) -> dict[str, Any]:
    """The compiled models by their names; raises ``ParameterError`` for two of one name."""
    from nsdgen.cli.target import open_target

    models: dict[str, Any] = {}
    for target, text in zip(targets, options.models, strict=True):
        compiled = open_target(target, native=options.native, rederive=options.rederive).compiled
        if compiled.record.name in models:
            raise ParameterError(
                f"{text!r} holds a model {compiled.record.name!r}, as one before it does",
                where="MODEL",
                fix='give each its own name, nsd.Model("NAME", ...)',
            )
        models[compiled.record.name] = compiled
    return models
