"""What a user meets: :class:`~nsdgen.model.model.Model`, and the pipeline that runs the stages for it.

``model.py`` is the facade; ``pipeline.py`` calls the stages in order, and says what each takes and gives.
"""

from nsdgen.base.lazy_names import lazy_names

__getattr__, __dir__ = lazy_names(__name__, {"Model": "nsdgen.model.model"})
