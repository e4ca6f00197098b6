#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#SBATCH --job-name=train
#SBATCH --nodes=4 --ntasks-per-node=8
#SBATCH --gres=gpu:a100_80gb:8      # 32 GPUs
#SBATCH --cpus-per-task=6 --mem-per-cpu=4G
#SBATCH --time=1-0 --signal=B:USR1@300
#SBATCH --partition=gpu --requeue
#SBATCH --output=train-%j.out

srun ./train --rank=$SLURM_PROCID --of=$SLURM_NTASKS
