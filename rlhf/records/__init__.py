"""The frozen records of play and of judgements, and their JSON."""
