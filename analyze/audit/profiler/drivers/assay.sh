# Drives assay's own clocks. A safepoint clock works like hprof and its kin: it takes stacks where the JVM allows it.
# CLOCK+OTHER runs another profiler at the same time and throws away its profile, to show the observer effect.
# shellcheck shell=sh disable=SC2034
about="assay's clock $variant"
format='assay trace'
case $variant in
*+*)
    other=$here/drivers/${variant#*+}.sh
    variant=${variant%%+*}
    ;;
*) other='' ;;
esac
case $variant in safepoint) ;; *) sees=all ;; esac
present() {
    case $variant in random | fixed | safepoint) ;; *) echo "no such clock; there are assay-random, assay-fixed and assay-safepoint"; return 1 ;; esac
    [ -z "$other" ] || (
        [ -e "$other" ] || { echo "no such profiler to run beside it: $(basename "$other" .sh)"; return 1; }
        # shellcheck disable=SC1090
        . "$other"
        present "$@"
    )
}
start() {
    set -- "$programs/assay-record" -q -c "$variant" -p "${period_ms}ms" -o "$out/traces" -- "$@"
    if [ -n "$other" ]; then
        (
            # shellcheck disable=SC1090
            . "$other"
            start "$@"
        )
    else
        "$@"
    fi
}
# It leaves traces, so nothing is imported.
collect() {
    rm -f "$out/traces/series.json"
}
