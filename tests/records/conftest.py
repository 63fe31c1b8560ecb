"""Hypothesis without clocks, and the oracles imported once with their own warnings let pass."""

import warnings

from hypothesis import HealthCheck, settings

# On a busy machine neither a slow draw nor a slow example is a failure.
settings.register_profile("no-clock", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("no-clock")

with warnings.catch_warnings():
    # kafka-python reads its schemas by a function that Python deprecates; here warnings are errors.
    warnings.simplefilter("ignore", DeprecationWarning)
    import aiokafka.record  # noqa: F401
    import kafka.record  # noqa: F401
