#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#SBATCH --job-name=train
#SBATCH --partition=gpu
#SBATCH --gpus-per-node=1   # any type
#SBATCH --ntasks=2 --cpus-per-task=3
#SBATCH --time=2:00:00
srun ./train
