# Sourced by our shell scripts: puts the project's own Node first when bootstrap had to install one.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if [ -x "$root/.tools/node/bin/node" ]; then PATH="$root/.tools/node/bin:$PATH"; fi
export PATH
