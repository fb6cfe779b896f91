"""``nsdgen derive``: every operator and scheme expression of a model."""

import argparse


def execute(options: argparse.Namespace) -> int:
    """Print what was derived, as text, LaTeX or JSON; no compiler is needed."""
    from nsdgen.cli.load import load_model
    from nsdgen.cli.target import check_target, parse_target
    from nsdgen.derive.listing.listing import as_json, as_text
    from nsdgen.derive.listing.typeset import as_latex

    target = parse_target(options.model)
    check_target(target, "derive")
    model, _ = load_model(target.path, target.name)
    show = as_latex if options.latex else as_json if options.json else as_text
    print(show(model.derive()), end="")
    return 0
