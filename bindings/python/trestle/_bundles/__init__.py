# SPDX-License-Identifier: Apache-2.0
"""Bundles of named amounts on nodes that can be launched: what trestle.ray decides with, without Ray.

`_demand.py` has what is asked and what a node has, `_filling.py` what one node should take,
`_placing.py` who gets what there is, through place(), and what is launched for the rest, and
`_plan.py` the steps of one decision.
"""
