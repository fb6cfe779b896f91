"""What development needs and no wheel holds."""
