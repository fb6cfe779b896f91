"""Many frictional contacts in their own variables, u = W r + q: from the numbers given to a certified answer."""
