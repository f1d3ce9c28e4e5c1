"""The parts of the agent's network: vision, trunk, memory, movement policy, language policy."""
