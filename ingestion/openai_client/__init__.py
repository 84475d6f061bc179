"""How services that speak OpenAI's API are asked: by the SDK, or for single requests without it."""
