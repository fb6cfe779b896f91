"""Multiple impacts, traced along their impulses."""
