"""Contents of a dataset's folder besides play: its description, index, card, and folders of marks and other records."""
