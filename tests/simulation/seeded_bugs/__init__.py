"""Bugs that replicated logs have had, one module each: `apply()` puts it back in. The simulation must notice."""
