"""One module per API, in snake case, or per family of APIs; imported on the first use of one of them (see `apis`).

`from ottla.protocol import schema as s` is the vocabulary. The files are not formatted: a declaration is a table.
"""
