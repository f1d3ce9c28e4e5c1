"""The stages of the loop: record, mark, clone, reward, improve, evaluate, and what they share."""
