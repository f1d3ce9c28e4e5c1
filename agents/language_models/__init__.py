"""Language models as agents: prompts made of texts, answers read as actions, and the models that answer."""
