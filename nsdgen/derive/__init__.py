"""From a description and its schemes to kernel records and the model record."""
