"""One module per API, in snake case, imported on the first use of that API (see `apis`)."""
