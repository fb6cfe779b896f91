"""``nsdgen compile``: a model into the cache, or into a package."""

from __future__ import annotations

import argparse

__all__ = ["execute"]


def execute(options: argparse.Namespace) -> int:
    """Compile a model file and say where the result is."""
    from nsdgen.cli.report import stages
    from nsdgen.cli.target import open_target, parse_target

    target = parse_target(options.model)
    opened = open_target(target, native=options.native, rederive=options.rederive)
    record = opened.compiled.record
    if options.output is None:
        place, hint = opened.shared_object, f"nsdgen run {options.model}"
    else:
        from nsdgen.emit.package import write_package

        place = write_package(options.output, record, opened.text, opened.shared_object)
        hint = f"with {options.output} on Python's path: import {record.identifier}; {record.identifier}.run()"
    if not options.quiet:
        print(f"{record.name}: {stages(opened)}\n  {place}\n  {hint}")
    return 0
