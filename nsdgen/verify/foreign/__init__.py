"""Hand sides that are code: Python functions, compiled C functions, plugin functions.

What a user writes (``hand_functions.py``) says how it is called (``call.py``), in a copy of this process
(``worker.py``); ``decide.py`` asks it at points (``sample_points.py``), holds what it gives against the truth
(``problem.py``, ``rounding.py``), and ``explain.py`` says what that amounts to, ``slip.py`` what was
probably meant.
"""
