"""A model as mathematics: what the user wrote, as classes over fresh symbols."""
