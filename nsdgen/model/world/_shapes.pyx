# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Distances between shapes, pair by pair of kinds, compiled as one."""

from libc.math cimport atan2, cos, fabs, HUGE_VAL, rint, sin, sqrt
from libc.stdint cimport intptr_t
from libc.string cimport memcpy, memset

import numpy as np

from nsdgen.model.world._pair_points cimport (
    BOX, CAPSULE, CONE, Corner, cross, CYLINDER, dot, ELLIPSOID, FEATURES, FormArrays, Found, from_frame, HULL, MESH,
    minus, opposite, PLANE, plus, put, Shape, SHAPE_BITS, SPHERE, to_frame, unit,
)

include "_supports.pxi"
include "_clipping.pxi"
include "_expansion.pxi"
include "_exact_places.pxi"
include "_convex.pxi"
include "_box_box.pxi"
include "_places.pxi"
include "_mesh.pxi"
include "_ways_of_surfaces.pxi"
include "_mesh_mesh.pxi"
include "_crossing.pxi"
include "_forms.pxi"
include "_narrow.pxi"
include "_finding.pxi"
include "_contact_pools.pxi"
include "_joints.pxi"
