"""What other programs read of a model: its record, the layout of the values of a step."""
