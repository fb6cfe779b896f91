"""Pictures as pages: zoom, and values under the pointer."""
