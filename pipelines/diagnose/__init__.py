"""Diagnosis of reward models: measures, figures, page."""
