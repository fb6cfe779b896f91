"""The version of nsdgen, which the texts and files that it writes carry."""

__all__ = ["VERSION"]

VERSION = "0.1.0"
