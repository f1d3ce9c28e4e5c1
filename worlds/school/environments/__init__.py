"""The school as Gymnasium environments."""
