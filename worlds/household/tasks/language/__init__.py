"""Language of a household: requests for every goal, a reader of requests, and answers."""
