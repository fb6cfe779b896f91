"""``nsdgen report``: a model file as one page."""

import argparse
from pathlib import Path


def execute(options: argparse.Namespace) -> int:
    """Write the page; where the run fails, what it reached is in the page and the error goes on."""
    from nsdgen.cli.load import load_model
    from nsdgen.cli.target import check_target, check_writable, parse_target
    from nsdgen.model.report.write_report import check_report

    target = parse_target(options.model)
    check_target(target, "report")
    if options.output is not None:
        check_report(options.output, where="--output")
    check_writable(options.output, "--output")
    model, _ = load_model(target.path, target.name)
    path = options.output or Path(f"{model.name}.html")
    model.report(
        path,
        plotted=[name.strip() for text in options.plot or () for name in text.split(",") if text],
        source=target.path.read_text(encoding="utf-8"),
        parameters=options.parameter,
        initial=options.initial,
        options=options.scheme,
        step=options.step,
        start=options.start,
        end=options.end,
        every=1 if options.every is None else options.every,
        progress=not options.quiet,
    )
    if not options.quiet:
        print(f"saved {path}")
    return 0
