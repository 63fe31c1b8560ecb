"""What several test packages share: parts from outside, real processes, free ports. Imported as `support.*`."""
