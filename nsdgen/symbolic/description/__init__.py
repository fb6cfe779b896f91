"""From a model to its description: classes over fresh symbols, instances with values."""
