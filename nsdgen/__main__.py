"""``python -m nsdgen``: the same as the command ``nsdgen``."""

import sys

from nsdgen.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
