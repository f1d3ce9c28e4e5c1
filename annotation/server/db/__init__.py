"""The study's database: tables, sessions, migrations."""
