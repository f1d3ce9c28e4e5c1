"""The agent of the SocialAI school's paper, and a reward model on its trunk."""
