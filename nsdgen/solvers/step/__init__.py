"""What only the runtime uses: the last resort of a step that its own solver does not solve."""
