"""The tables that a load can go to. Each keeps files and offsets in one commit; see `table.Table`."""
