#!/usr/bin/env bash
# Builds lostreply and passes its arguments on; without a command word it runs all scenarios.
# LOSTREPLY_BIN names the binary that is built; each checkout has its own by default.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if ! command -v go >/dev/null; then
  echo "run.sh: Go is needed, and no go is in PATH: install it from https://go.dev/dl" >&2
  exit 3
fi
binary=${LOSTREPLY_BIN:-$here/bin/lostreply}
mkdir -p "$(dirname "$binary")"
if ! (cd "$here" && go build -o "$binary" ./cmd/lostreply); then
  echo "run.sh: lostreply does not build; see above" >&2
  exit 3
fi
exec "$binary" "$@"
