"""The version of nsdgen, which the texts and files that it writes carry."""

VERSION = "0.1.0"
