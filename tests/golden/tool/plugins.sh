#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#SBATCH --container-image=nvcr.io#nvidia/pytorch:24.10-py3
#SBATCH --no-container-mount-home --segment=2
srun python train.py
