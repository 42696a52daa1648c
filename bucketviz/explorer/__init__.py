"""Records to eyes: the widget, the offline page, the text. No torch here."""

from bucketviz.explorer.naming import name_apart
from bucketviz.explorer.prediction import Asked
from bucketviz.explorer.standalone import write_page
from bucketviz.explorer.subject import Maker, Predictor, Rewriter, Subject
from bucketviz.explorer.widget import Explorer

__all__ = ["Asked", "Explorer", "Maker", "Predictor", "Rewriter", "Subject", "name_apart", "write_page"]
