"""Records as columns of Arrow tables, and what is read from them: episodes, transcripts, fingerprints."""
