"""Where bodies were, as data for other programs (Blender, MeshCat, rerun): plain JSON."""

import json
from dataclasses import asdict

from nsdgen.study.animation.picture import Picture


def poses(picture: Picture, model: str) -> str:
    """Instants [s], of bodies positions [m], quaternions (w, x, y, z; body to inertial), solids, of lines points."""
    bodies = {
        d.name: {
            "position": d.values[:, :3].tolist(),
            "quaternion": d.values[:, 3:].tolist(),
            "solids": [asdict(solid) for solid in d.solids],
        }
        for d in picture.drawn
        if d.kind == "body"
    }
    lines = [
        {"name": d.name, "kind": d.kind, "points": d.values.reshape(len(d.values), -1, 3).tolist()}
        for d in picture.drawn
        if d.kind in ("line", "spring", "joint", "points")
    ]
    return json.dumps(
        {"model": model, "up": picture.up, "time": picture.time.tolist(), "bodies": bodies, "lines": lines}
    )
