"""Many frictional contacts in global variables (v, r), M v = H r + f: W is never formed."""
