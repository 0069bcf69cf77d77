"""The asynchronous client. The synchronous one is generated from these files."""
