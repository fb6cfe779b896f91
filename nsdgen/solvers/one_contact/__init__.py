"""One frictional contact: its cone, its law, its exact solution case by case."""
