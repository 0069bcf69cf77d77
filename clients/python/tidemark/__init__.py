"""The Python client of Tidemark, a service that crawls web sites, stores every result and explains it."""

from . import errors, types, webhooks
from ._answers import Meta, meta_of
from ._async.client import AsyncTidemark
from ._sync.client import Tidemark
from ._version import __version__
from .errors import ApiError, TidemarkError

__all__ = [
    "ApiError",
    "AsyncTidemark",
    "Meta",
    "Tidemark",
    "TidemarkError",
    "__version__",
    "errors",
    "meta_of",
    "types",
    "webhooks",
]
