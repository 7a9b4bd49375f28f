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
case $binary in /*) ;; *) binary=$PWD/$binary ;; esac
folder=$(dirname "$binary")
if ! mkdir -p "$folder" || [ ! -w "$folder" ]; then
  echo "run.sh: can't write to $folder: name another place for the binary in LOSTREPLY_BIN" >&2
  exit 3
fi
if [ ! -e "$binary" ]; then
  echo "run.sh: building lostreply; the first time this takes minutes on a small machine" >&2
fi
# Asking go build whether anything has changed takes half a second. So the last build leaves a stamp
# as old as its beginning, and nothing is asked while no source has changed since: not its content,
# nor its name or place, which the time of a file's last status change tells and nobody can set.
sources=("$here/cmd" "$here/fakes" "$here/harness" "$here/go.mod" "$here/go.sum")
stamp=$binary.built
identity() {
  echo "$here $(command -v go) ${GOFLAGS-} ${GOTOOLCHAIN-} ${GOEXPERIMENT-} ${CGO_ENABLED-}"
  stat -c '%i %s %y' "$binary"
}
fresh() {
  [ -x "$binary" ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(identity)" ] &&
    [ -z "$(find "${sources[@]}" -cnewer "$stamp" -print -quit 2>&1)" ]
}
build() {
  if fresh; then return; fi
  : >"$stamp.begun"
  (cd "$here" && go build -buildvcs=false -o "$binary" ./cmd/lostreply) || return
  identity >"$stamp" && touch -r "$stamp.begun" "$stamp"
}
# Two runs in one checkout must not write one binary at once.
if command -v flock >/dev/null; then
  { flock 9 && build; } 9>"$binary.lock" || status=$?
else
  build || status=$?
fi
if [ "${status:-0}" -ne 0 ]; then
  echo "run.sh: lostreply does not build; see above" >&2
  exit 3
fi
export LOSTREPLY_COMMAND=$0
exec "$binary" "$@"
