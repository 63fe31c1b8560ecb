"""The catalogue's tables by theme. Their form: `ottla.observability.catalogue`."""
