# assay's own clocks. A safepoint clock is what hprof and its like are: stacks are taken where the JVM lets them be.
# shellcheck shell=sh disable=SC2034
about="assay's clock $variant"
format='assay trace'
present() {
    case $variant in random | fixed | safepoint) ;; *) echo "no such clock; there are assay-random, assay-fixed and assay-safepoint"; return 1 ;; esac
}
start() {
    "$programs/assay-record" -q -c "$variant" -p "${period_ms}ms" -o "$out/traces" -- "$@"
}
# It leaves traces: nothing is imported.
collect() {
    rm -f "$out/traces/series.json"
}
