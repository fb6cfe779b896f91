"""The folder of the fuzzers is on the path: workers in processes of their own import the same mutations."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
