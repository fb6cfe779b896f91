"""The one-step problem over an interaction graph: block-sparse, warm-started, island by island."""
