# SPDX-License-Identifier: Apache-2.0
"""Bundles of named amounts on nodes that can be launched: what trestle.ray decides with, without Ray.

`_demand.py` has what is asked and what a node has, `_filling.py` what one node should take.
`_placing.py` places demands on the nodes that are there, through place(), and launches others.
`_plan.py` has the steps of one decision.
"""
