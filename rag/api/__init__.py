"""The chat API: FastAPI over the agent, the conversation store and the index; extra `bookwise[api]`."""
