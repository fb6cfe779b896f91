"""Names of a rigid body's columns in the published tables."""

__all__ = ["body_columns"]


def body_columns(name: str = "") -> dict[str, str]:
    """Position, velocity, quaternion and angular velocity of the body ``name`` (of the only one)."""
    of = f"{name}." if name else ""
    return (
        {axis: f"{of}position[{i}]" for i, axis in enumerate("xyz")}
        | {f"v{axis}": f"{of}velocity[{i}]" for i, axis in enumerate("xyz")}
        | {f"q{axis}": f"{of}quaternion[{i}]" for i, axis in enumerate("wxyz")}
        | {f"Omega{i + 1}": f"{of}angular_velocity[{i}]" for i in range(3)}
    )
