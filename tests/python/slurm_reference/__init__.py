# SPDX-License-Identifier: Apache-2.0
"""A readable reference model of how Slurm 22.05 (select/cons_tres) chooses resources."""
