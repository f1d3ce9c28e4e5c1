"""Agreement between raters: measures, moments, gold episodes, the study's dashboard."""
