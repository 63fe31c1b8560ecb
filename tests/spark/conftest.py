import pytest

from support.spark import spark_session


@pytest.fixture(scope="session")
def spark():
    with spark_session() as session:
        yield session
