#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds, measures, draws. All arguments go to gk_bench; see --help.
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

if asks_for_help "$@"; then
  cat <<'HELP'
scripts/bench.sh [gk_bench arguments]
  Installs what is missing (as root, on Debian 12), builds, runs gk_bench, and draws the roofline.
  scripts/report.py makes a whole report of the result file.
  Without arguments: the decode shapes of Llama-3-8B, quick preset, in about three minutes.

  scripts/bench.sh
  scripts/bench.sh --gk_model=qwen3-8b --gk_preset=quick --benchmark_filter=decode
  scripts/bench.sh --gk_shape=n:4096,k:14336,batch:1

Results go to results/<machine>/<time>_<commit>.json unless --benchmark_out names a file.
HELP
  exit 0
fi
[ $# -gt 0 ] || set -- --gk_model=llama-3-8b --gk_preset=quick --benchmark_filter=decode

install_packages build
install_python
build cpu gk_bench

# The folder of this machine's results: its CPU's name in lower case, words joined by "-".
machine_folder() {
  sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1 | tr '[:upper:]' '[:lower:]' |
    sed 's/([a-z]*)//g; s/[^a-z0-9]\+/-/g; s/^-//; s/-$//'
}

commit=$(git -C "$root" rev-parse --short HEAD 2>/dev/null || echo nogit)
[ -z "$(git -C "$root" status --porcelain -uno -- . ':!results' 2>/dev/null)" ] || commit+=-dirty
machine=$(machine_folder)
out=$root/results/${machine:-unknown}/$(date -u +%Y-%m-%dT%H%M%SZ)_$commit.json
writes_results=yes
for argument in "$@"; do
  case $argument in
    --benchmark_out=*) out=${argument#--benchmark_out=} ;;
    --gk_list* | --benchmark_list_tests* | --gk_profile*) writes_results= ;;
  esac
done

code=0
if [ -z "$writes_results" ]; then
  "$root/gk_bench" "$@" || code=$?
  exit "$code"
fi
say "gk_bench $*"
"$root/gk_bench" "$@" "--benchmark_out=$out" || code=$?
[ -f "$out" ] || exit "$code"

say "Roofline"
"$root/.venv/bin/python" "$root/scripts/roofline.py" "$out" \
  -o "${out%.json}.png,${out%.json}.svg" || plot=$?
# Nothing to plot (a run of ceilings, or of skips only) is no failure of the run.
[ "${plot:-0}" = 0 ] || [ "$plot" = 4 ] || [ "$code" != 0 ] || code=$plot
cat <<END

results   $out
figures   ${out%.json}.png, ${out%.json}.svg
again     ./gk_bench $*
END
exit "$code"
