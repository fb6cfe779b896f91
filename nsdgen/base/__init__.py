"""Small things that any stage may use; nothing here knows of models."""
