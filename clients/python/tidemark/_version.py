"""The version of the package: that of the service whose document it was generated from."""

__version__ = "0.5.0"
