"""The cam follower at 700 turns a minute."""

from ..cam import cam_follower

case = cam_follower(700)
