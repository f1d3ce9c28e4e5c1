"""Looking at recorded play: an index of what is played and said, and what reward models make of it."""
