#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A compiler launcher: runs nvcc, keeps all that it says in <object>.ptxas.log, and shows what is
# not ptxas' report on a kernel (registers, spills, shared memory).
object=
previous=
for argument in "$@"; do
  [ "$previous" = -o ] && object=$argument
  previous=$argument
done
[ -n "$object" ] || exec "$@"
log=$object.ptxas.log
"$@" >"$log" 2>&1
code=$?
if [ "$code" = 0 ]; then
  grep -v -e '^ptxas info' -e '^    [0-9]* bytes stack frame' "$log" >&2
else
  cat "$log" >&2
fi
exit "$code"
