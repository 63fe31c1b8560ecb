from hypothesis import settings

from hostile import rounds

# How long an example takes says how busy the machine is, and nothing else.
settings.register_profile("ottla", deadline=None)
settings.load_profile("ottla")


def pytest_addoption(parser):
    parser.addoption("--rewrite", action="store_true", help="write what scenarios give over what they expect")
    rounds.add_options(parser)
