"""Contacts of many bodies, in the velocities of the bodies: sweeps, and methods that end with a certificate."""
