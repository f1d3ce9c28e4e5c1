"""Language games in which an answer is asked for: how they are asked, and how answers in free words are judged."""
