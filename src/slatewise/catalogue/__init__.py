"""From tables of items to problems: ids, features, costs and labels."""

from slatewise.catalogue.catalogue import Catalogue

__all__ = ["Catalogue"]
