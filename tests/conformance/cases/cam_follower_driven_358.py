"""The cam follower at 358 turns a minute."""

from ..cam import cam_follower

case = cam_follower(358)
