"""Case studies of the SocialAI school: agents that learn from rewards alone, and what they generalise to."""
