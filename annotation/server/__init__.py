"""The web app's server: who may ask for what, and what is kept of what people say."""
