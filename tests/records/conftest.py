"""Hypothesis without clocks: on a busy machine neither a slow draw nor a slow example is a failure."""

from hypothesis import HealthCheck, settings

settings.register_profile("no-clock", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("no-clock")
