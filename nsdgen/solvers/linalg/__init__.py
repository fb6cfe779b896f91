"""Linear algebra: dense and block-sparse factors, least-norm solutions, orders, connected parts, scales."""
