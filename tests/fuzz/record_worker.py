"""Open and run damaged records in a process of its own: prints each seed, and what is no named error.

``python record_worker.py FIRST END PACKAGE ...``: exit status 0 where every one of them ran or was refused by name.
"""

import faulthandler
import json
import random
import resource
import sys
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from mutations import mutated, text_of

from nsdgen.errors import NsdgenError
from nsdgen.record.model_record import ModelRecord
from nsdgen.study.compiled_model import CompiledModel, open_package


def main() -> int:
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    seeds = range(int(sys.argv[1]), int(sys.argv[2]))
    return min(sum(damaged(Path(folder), seeds) for folder in sys.argv[3:]), 100)


def damaged(folder: Path, seeds: range) -> int:
    """How many damaged records of a package neither ran nor were refused by name."""
    good = open_package(folder)
    data, extension = json.loads(good.record.to_json()), good.table.owner
    wrong = ran = 0
    for seed in seeds:
        print(f"seed {seed} of {folder.name}", flush=True)
        rng = random.Random(seed)
        text = text_of(mutated(data, rng, rng.choice((1, 1, 1, 2, 4))))
        try:
            CompiledModel(ModelRecord.from_json(text), extension).run(start=0.0, step=1e-3, end=3e-3)
            ran += 1
        except NsdgenError:
            pass
        except BaseException:
            wrong += 1
            print(f"seed {seed} of {folder.name} is no named error:\n{traceback.format_exc()}", file=sys.stderr)
    print(f"{folder.name}: {ran} of {len(seeds)} ran", flush=True)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
