"""What the function that makes the steps of a small model takes from its record, as a short text.

The function is written for one graph: which systems and relations there are, who takes part in what, which stage makes
the step, where values lie in the record of a step. The emitter puts the text behind the hash of the module; the runtime
compares it with that of the record at hand, which may have been edited. Numbers of a run are no part of it.
"""

import hashlib
import json

from nsdgen.record.model_record import ModelRecord
from nsdgen.record.step_record import Layout


def graph_digest(record: ModelRecord) -> str:
    """Eight hexadecimal digits that change with anything that fused steps are written for.

    Raises ``ModelError`` where two recorded values have one name.
    """
    layout = Layout.of(record)
    whole = [
        [
            [
                s.at,
                s.schemes,
                s.skipped,
                s.unique,
                s.block,
                s.activation_at,
                s.fixed_iterations,
                s.without_relations,
                s.measure,
            ]
            for s in record.stages
        ],
        [[g.first, g.end] for g in record.repeats],
        len(record.blocks),
        [len(s.options) for s in record.schemes],
        [
            [c.scheme, c.n_state, c.n_unknown, c.n_frozen_step, c.n_frozen_iteration, len(c.cuts)]
            for c in record.system_classes
        ],
        [
            [c.scheme, c.n_memory, c.n_multiplier, c.n_observed, c.cones, c.always_active, len(c.cuts)]
            for c in record.relation_classes
        ],
        [s.cls for s in record.systems],
        [[r.cls, r.participants] for r in record.relations],
        [
            layout.state,
            layout.memory,
            layout.multiplier,
            layout.observed,
            layout.system_observed,
            layout.counters,
            layout.kept,
            layout.width,
        ],
    ]
    return hashlib.sha256(json.dumps(whole).encode()).hexdigest()[:8]
