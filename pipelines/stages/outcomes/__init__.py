"""Results of stages: model cards, headlines, changes over training, files of results."""
