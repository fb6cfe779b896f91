"""Claims made to mislead the prover, by subject, each with what is true of it; see ``test_misleading_claims.py``.

Each module holds three lists. ``TRUE`` hold where both sides have values, ``FALSE`` fail somewhere, ``OPEN`` have no
value, no one reading, or no point where they could be asked.
"""
