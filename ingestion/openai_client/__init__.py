"""Access to services that speak OpenAI's API: through the SDK, or without it for single requests."""
