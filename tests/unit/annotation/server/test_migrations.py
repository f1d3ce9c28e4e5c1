"""The database's tables: made by the migrations as the code has them; those of an older version are refused."""

from __future__ import annotations

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine, text

from annotation.server.db import tables
from annotation.server.db.database import Database
from worlds.errors import UserError

BOTH_DATABASES = True


def test_the_migrations_make_the_tables_of_the_code(tableless_url: str) -> None:
    for _ in range(2):  # once they are made, they are left alone
        Database(tableless_url).close()
    engine = create_engine(tableless_url)
    with engine.begin() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), tables.Base.metadata)
        assert [str(found) for found in differences] == []
    engine.dispose()


@pytest.mark.parametrize(("revision", "said"), [("0010", "an older version wrote"), ("9999", "a newer version wrote")])
def test_a_database_of_another_version_is_refused_in_one_line(tableless_url: str, revision: str, said: str) -> None:
    Database(tableless_url).close()
    engine = create_engine(tableless_url)
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE alembic_version SET version_num = '{revision}'"))
    engine.dispose()
    with pytest.raises(UserError, match=said) as refused:
        Database(tableless_url)
    assert revision in str(refused.value) and "\n" not in str(refused.value)
