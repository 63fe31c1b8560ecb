def pytest_addoption(parser):
    parser.addoption("--rewrite", action="store_true", help="write what scenarios give over what they expect")
