#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image: Python, its packages, and who may read what.
set -euo pipefail
opt=/opt/attention  # nothing below /root: students' code runs as other users
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends ca-certificates libseccomp2 python3 python3-venv
mkdir -p $opt
if python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  python3 -m venv $opt/venv
else  # Ubuntu 22.04 has 3.10
  python3 -m venv $opt/uv
  $opt/uv/bin/pip install --quiet uv
  UV_PYTHON_INSTALL_DIR=$opt/python $opt/uv/bin/uv venv --quiet --seed --python 3.13 $opt/venv
fi
pip="$opt/venv/bin/pip install --quiet --no-cache-dir --disable-pip-version-check"
# Without CUDA, which would be several gigabytes: of two equal versions pip takes the one that is called +cpu.
$pip --no-deps "$(grep '^torch==' /autograder/source/requirements.txt)" --extra-index-url https://download.pytorch.org/whl/cpu
$pip -r /autograder/source/requirements.txt
bash /autograder/source/places.sh
$opt/venv/bin/python -m compileall -q /autograder/source/course $opt/kit
