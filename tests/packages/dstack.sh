#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares this library with dstack as PyPI has it, in an environment of its own:
# dstack.sh SOURCE_TREE BUILD_FOLDER FOLDER PYTHON. PYTHON is the one that the module was built for. Ends with 77 where
# PyPI does not answer.
set -eu
tree=$1 build=$2 folder=$3 python=$4
mkdir -p "$folder"
[ -d "$folder/venv" ] || "$python" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q dstack==0.22.5 gpuhunt==0.1.34 2> "$folder/pip.log" ||
    { echo "no dstack from PyPI: $(grep -i error "$folder/pip.log" | tail -n 1)"; exit 77; }
PYTHONPATH=$build/bindings/python "$folder/venv/bin/python" "$tree/tests/packages/dstack_oracle.py" "$tree"
