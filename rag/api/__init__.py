"""The chat API (spec 004): FastAPI over the agent, the conversation store and the index; extra `bookwise[api]`."""
