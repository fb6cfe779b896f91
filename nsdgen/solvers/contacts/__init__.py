"""Many frictional contacts in their own variables, u = W r + q: sweeps, Newton's method, attempts."""
