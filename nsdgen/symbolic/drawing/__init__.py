"""What a model looks like: figures stated by users, and those that systems and relations have by themselves."""
