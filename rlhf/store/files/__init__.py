"""Files written atomically, and Parquet files with checksums, of one episode or of many."""
