# Generated from ../_async by `node test/python-sdk.ts`: do not edit.
"""The asynchronous client. The synchronous one is generated from these files."""
