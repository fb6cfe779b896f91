"""The formulas of five development notes as claims, a module per subject; ``developer_notes_audit.py`` gathers them."""
