"""Alembic runs this: the migrations, in the transaction that the server has begun."""

from alembic import context

from annotation.server.db.tables import Base

context.configure(connection=context.config.attributes["connection"], target_metadata=Base.metadata)
context.run_migrations()
