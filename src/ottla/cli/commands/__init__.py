"""The commands of `ottla`, one file each, imported only when they are called."""
