"""``nsdgen compile``: a model into the cache, or into a package."""

import argparse
import site
import sys


def execute(options: argparse.Namespace) -> int:
    """Compile a model file and say where the result is."""
    from nsdgen.cli.report import stages
    from nsdgen.cli.target import check_target, open_target, parse_target

    target = parse_target(options.model)
    check_target(target, "compile")
    opened = open_target(
        target,
        native=options.native,
        rederive=options.rederive,
        consistent=options.consistent_start,
        interpret=False if options.output is None else None,
    )
    record = opened.compiled.record
    if options.output is None:
        place, hint = opened.shared_object, f"nsdgen run {options.model}"
    else:
        from nsdgen.emit.package import write_package

        place = write_package(options.output, record, opened.text, opened.shared_object)
        hint = f"with {options.output} on Python's path: import {record.identifier}; {record.identifier}.run()"
    if not options.quiet:
        print(f"{record.name}: {stages(opened)}\n  {place}\n  {hint}")
        if taken := _owner(record.identifier):
            print(
                f"  Warning: {record.identifier!r} is also the name of {taken}.\n"
                "  Where this model is on Python's path as a package, one hides the other.\n"
                f"  Another name avoids it, for instance nsd.Model({record.name + ' model'!r}, ...)."
            )
    return 0


def _owner(identifier: str) -> str:
    """What else Python imports under this name: a standard module, an installed package, or nothing."""
    if identifier in sys.stdlib_module_names:
        return "a module of Python"
    import importlib.machinery
    import sysconfig

    places = [sysconfig.get_path(kind) for kind in ("purelib", "platlib")]
    places += [*site.getsitepackages(), site.getusersitepackages()]
    found = importlib.machinery.PathFinder.find_spec(identifier, places) or identifier == "nsdgen"
    return "an installed package" if found else ""
