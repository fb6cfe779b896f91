"""Robots as their files state them: URDF and MJCF become bodies, joints, a mechanism and what acts on it."""
