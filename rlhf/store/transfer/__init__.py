"""Datasets and records to and from elsewhere: files of marks, a second dataset of the same play, the Hub."""
