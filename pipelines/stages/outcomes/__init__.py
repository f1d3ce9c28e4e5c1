"""What a stage reports: model cards, headlines, changes over training, files of results."""
