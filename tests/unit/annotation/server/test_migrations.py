"""Databases of earlier versions are brought up to date with everything that is in them."""

from __future__ import annotations

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, create_engine, text

from annotation.server.db import database as databases
from annotation.server.db import judging_tables, tables
from annotation.server.db.database import Database
from annotation.server.services.judging import verdict_of
from annotation.server.services.submissions import all_submissions, send_back

BOTH_DATABASES = True
# Rows of a study at the migration 0003: work that is submitted, work that is begun, and a verdict.
ROWS = (
    "INSERT INTO people VALUES ('p', 'Ann', 'otter-12', NULL, true, 1.0)",
    "INSERT INTO person_roles VALUES ('p', 'rater')",
    "INSERT INTO projects (id, dataset, overlap, strategy, open, created)"
    " VALUES ('j', 'play', 1, 'breadth', true, 1.0)",
    "INSERT INTO episodes VALUES ('e1', 'j', 'synthetic-1', 0, 12), ('e2', 'j', 'synthetic-2', 1, 12)",
    "INSERT INTO assignments"
    " (id, episode_id, rater_id, opened, locked_until, position, active_sec, submitted, exported)"
    " VALUES ('a1', 'e1', 'p', 2.0, 3.0, 11, 9.5, 4.0, 5.0), ('a2', 'e2', 'p', 2.0, 3.0, 4, 1.5, NULL, NULL)",
    "INSERT INTO marks VALUES ('a1', 'm', 1, 7, -1, false, 3.0)",
    "INSERT INTO judged_projects VALUES ('j', 1, true)",
    "INSERT INTO continuations VALUES ('e1', 6, 5, 'lift the mug')",
    "INSERT INTO judging_assignments VALUES ('v', 'e1', 'p', 2.0, 3.0, 6, 1.0, 3, true, 8, 3.5, 4.0, 5.0)",
)


def migrate(connection: Connection, revision: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(databases._MIGRATIONS))
    config.attributes["connection"] = connection
    (command.downgrade if revision == "0003" and current(connection) else command.upgrade)(config, revision)


def current(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def test_work_of_an_earlier_version_is_kept(tableless_url: str) -> None:
    engine = create_engine(tableless_url)
    with engine.begin() as connection:
        migrate(connection, "0003")
        for row in ROWS:
            connection.execute(text(row))
    engine.dispose()
    database = Database(tableless_url)
    with database.reading() as session:
        (submission,) = all_submissions(session)
        assert submission["marks"] == 1 and submission["active_sec"] == 9.5 and submission["submitted"] == 4.0
        assert submission["seen"] is None and submission["returned"] is None and not submission["to_another"]
        begun = session.get_one(tables.Assignment, "a2")
        assert begun.submitted is None and begun.position == 4 and not begun.closed and not begun.withdrawing
        verdict = verdict_of(session.get_one(judging_tables.JudgingAssignment, "v"))
        assert verdict == {"revision": 3, "success": True, "step": 8, "left_out": ""}
    with database.writing() as session:
        send_back(session, "a1", "Watch all of it.", to_another=False, when=6.0)
    with database.reading() as session:
        found = session.get_one(tables.Assignment, "a1")
        assert found.submitted is None and found.withdrawing and found.return_reason == "Watch all of it."
    database.close()


def test_the_migrations_make_the_tables_of_the_code_and_can_be_undone(tableless_url: str) -> None:
    Database(tableless_url).close()
    engine = create_engine(tableless_url)
    with engine.begin() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), tables.Base.metadata)
        assert [str(found) for found in differences] == []
        migrate(connection, "0003")
        assert current(connection) == "0003"
        migrate(connection, "head")
        assert current(connection) not in (None, "0003")
    engine.dispose()
