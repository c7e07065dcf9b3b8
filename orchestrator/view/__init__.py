"""The view: a private copy of the project's files, cleaned, and all that participants see of the project."""

from orchestrator.view.left_out import Limits
from orchestrator.view.making import Made, make_view, view_digest
from orchestrator.view.paths import project_paths

__all__ = ["Limits", "Made", "make_view", "project_paths", "view_digest"]
