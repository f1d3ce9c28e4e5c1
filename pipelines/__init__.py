"""The journeys: record, mark, clone, reward, improve, evaluate, report, and the demo that composes them."""
