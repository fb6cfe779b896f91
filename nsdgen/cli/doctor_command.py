"""``nsdgen doctor``: what this machine has and lacks."""

import argparse

from nsdgen.build.doctor import examine, report
from nsdgen.errors import CompilerMissing


def execute(options: argparse.Namespace) -> int:
    """Print all findings; the exit code says whether something needed is missing."""
    findings = examine()
    print(report(findings))
    missing = any(finding.required and not finding.ok for finding in findings)
    return CompilerMissing.exit_code if missing else 0
