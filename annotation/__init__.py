"""Marks and judgements of play by people and scripts, games with people, and the web app for all of it."""
