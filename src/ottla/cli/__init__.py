"""The `ottla` command: one file per command, loaded only when it is called, so that `ottla --help` is quick."""
