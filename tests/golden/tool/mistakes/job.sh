#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#SBATCH --gres=gpu:2 --cpus-per-taks=4
#SBATCH --mem=1G --mem-per-cpu=1G
#SBATCH --time=soon
srun ./train
