"""The web app's server: routes, policies, services, database, export."""
