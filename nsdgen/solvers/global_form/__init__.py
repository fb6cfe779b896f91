"""Many frictional contacts in global variables (v, r), M v = H r + f: condensed, or with M kept where W would fill."""
