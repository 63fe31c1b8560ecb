"""One module per API, in snake case, or per family of APIs; imported on the first use of one of them (see `apis`).

`from ottla.protocol import schema as s` is the vocabulary. The files are not formatted: a message and the
structs before it are one block, a row per field.
"""
