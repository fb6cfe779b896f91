"""Joints between two bodies, or a body and the ground, with limits, springs, friction and motors."""
