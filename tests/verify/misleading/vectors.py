"""Vectors of space, rotations and quaternions."""

from __future__ import annotations

import sympy as sp
from sympy import Piecewise as P

from misleading.claims import eq, st
from misleading.symbols import D3, V, W, X, o, p
from nsdgen.verify import (
    Claim,
    Inequality,
    Orthogonal,
    Orthonormal,
    Rotation,
    Skew,
    Symmetric,
    UnitQuaternion,
    UnitVector,
    conjugate,
    cross,
    derivative,
    inverse_quaternion,
    norm,
    pure,
    quaternion_product,
    rotate,
    rotation_matrix,
    skew,
)

TRUE = [
    eq(V.dot(V), sp.S.One, UnitVector(V)),
    eq(p.dot(p) ** 2, sp.S.One, UnitQuaternion(p)),
    eq(V.dot(W) ** 2 + V.cross(W).dot(V.cross(W)), sp.S.One, UnitVector(V), UnitVector(W)),
    eq(rotate(p, rotate(o, V)), rotate(quaternion_product(p, o), V)),
    eq(norm(rotate(p, V)), norm(V), UnitQuaternion(p)),
    eq(rotate(p, cross(V, W)), cross(rotate(p, V), rotate(p, W)), UnitQuaternion(p)),
    eq(quaternion_product(p, inverse_quaternion(p)), sp.Matrix([1, 0, 0, 0])),
    eq(conjugate(quaternion_product(p, o)), quaternion_product(conjugate(o), conjugate(p))),
    eq(skew(rotate(p, V)), rotation_matrix(p) * skew(V) * rotation_matrix(p).T, UnitQuaternion(p)),
    eq(skew(V) ** 3, -skew(V) * V.dot(V)),
    eq(skew(V) * skew(W) - skew(W) * skew(V), skew(cross(V, W))),
    eq(cross(V, cross(W, X)) + cross(W, cross(X, V)) + cross(X, cross(V, W)), sp.zeros(3, 1)),
    eq(V.dot(cross(W, X)), sp.Matrix.hstack(V, W, X).det()),
    eq(rotation_matrix(-p), rotation_matrix(p)),
    eq(rotation_matrix(p).det(), sp.S.One, UnitQuaternion(p)),
    eq(pure(V).dot(pure(V)), V.dot(V)),
    eq(rotation_matrix(p).trace(), 4 * p[0] ** 2 - 1, UnitQuaternion(p)),
    eq(derivative(norm(V), V), V.T / norm(V)),
    eq(derivative(V / norm(V), V) * V, sp.zeros(3, 1)),
    eq((sp.eye(3) - 2 * V * V.T) ** 2, sp.eye(3), UnitVector(V)),
    eq(V.cross(W).norm() ** 2, sp.S.One, UnitVector(V), UnitVector(W), Orthogonal(V, W)),
    eq(D3.T * D3, sp.eye(3), Rotation(D3)),
    eq(D3.cofactor_matrix(), D3, Rotation(D3)),
    eq(D3 * skew(V) * D3.T, skew(D3 * V), Rotation(D3)),
    eq(D3 * D3.T, sp.eye(3), Rotation(D3)),
    eq(sp.Matrix(3, 3, D3[:]).det(), sp.S.Zero, Skew(D3)),
    eq(V.dot(D3 * W), W.dot(D3 * V), Symmetric(D3)),
    st(Inequality(V.dot(W) ** 2, "<=", V.dot(V) * W.dot(W))),
]

FALSE = [
    eq(V.dot(W), sp.S.Zero, UnitVector(V), UnitVector(W)),
    eq(p[0], sp.S.One, UnitQuaternion(p)),
    eq(rotate(p, rotate(o, V)), rotate(quaternion_product(o, p), V)),
    eq(norm(rotate(p, V)), norm(V)),
    eq(rotation_matrix(p).T * rotation_matrix(p), sp.eye(3)),
    eq(skew(V) * W, cross(W, V)),
    eq(conjugate(quaternion_product(p, o)), quaternion_product(conjugate(p), conjugate(o))),
    eq(skew(rotate(p, V)), rotation_matrix(p).T * skew(V) * rotation_matrix(p), UnitQuaternion(p)),
    eq(inverse_quaternion(p), conjugate(p)),
    eq(cross(V, cross(W, X)), cross(cross(V, W), X)),
    eq(rotation_matrix(p), rotation_matrix(conjugate(p)), UnitQuaternion(p)),
    eq(p, -p, UnitQuaternion(p)),
    eq(derivative(norm(V), V), V.T),
    eq((sp.eye(3) - V * V.T) ** 2, sp.eye(3), UnitVector(V)),
    eq(V.cross(W).norm() ** 2, sp.S.One, UnitVector(V), UnitVector(W)),
    eq(D3.trace(), sp.S.One, Rotation(D3)),
    eq(D3 * skew(V) * D3.T, skew(D3 * V), Orthonormal(D3)),
    eq(D3, D3.T, Rotation(D3)),
    eq(D3.det(), sp.S.One, Orthonormal(D3)),
    eq(D3**2, sp.eye(3), Rotation(D3)),
    eq(V.dot(D3 * W), -W.dot(D3 * V), Symmetric(D3)),
    eq(cross(V, W), sp.zeros(3, 1), Orthogonal(V, W)),
    eq(P((0, sp.Eq(V.dot(V), 4)), (1, True)), sp.S.One),
    st(Inequality(V.dot(W) ** 2, "<", V.dot(V) * W.dot(W))),
]

OPEN: list[Claim] = []
