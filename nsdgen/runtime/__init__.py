"""From a loaded module and values to times and a table: stages bound to arrays, Newton's method, events, steps."""
