"""Classes of things that the seven apartments hold."""
