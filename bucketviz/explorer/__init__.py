"""Records to eyes: the widget, the offline page, the text. No torch here."""

from bucketviz.explorer.standalone import write_page
from bucketviz.explorer.widget import Explorer

__all__ = ["Explorer", "write_page"]
