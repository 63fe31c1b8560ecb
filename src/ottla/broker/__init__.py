"""One broker: its parts wired together, started and stopped in order, and the process around it."""
