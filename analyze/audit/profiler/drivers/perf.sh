# Runs Linux perf with its software clock, which every machine has; JVMs write the map of their code when they end.
# shellcheck shell=sh disable=SC2034
about='Linux perf, event cpu-clock, frame pointers'
format='text of perf script'
sees=all
present() {
    command -v perf >/dev/null || { echo 'there is no perf; install linux-perf'; return 1; }
    perf record -q -e cpu-clock -o /dev/null true >/dev/null 2>&1 || {
        echo 'perf may not record here; see /proc/sys/kernel/perf_event_paranoid'
        return 1
    }
}
start() {
    JAVA_TOOL_OPTIONS="${JAVA_TOOL_OPTIONS:-} -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -XX:+PreserveFramePointer" \
        perf record -q -g -e cpu-clock -F $((1000 / period_ms)) -o "$out/perf.data" -- "$@"
}
collect() {
    perf script -i "$out/perf.data" >"$out/perf.raw" 2>"$out/perf-script.log" || {
        echo "perf script failed: $(tail -n 1 "$out/perf-script.log")"
        return 1
    }
    # HotSpot's map puts the return type before the name of a method; other profilers do not.
    sed -E 's,^([[:space:]]+[0-9a-f]+ )[^ (]+ ([^ (]+\(.*\(/tmp/perf-[0-9]+\.map\))$,\1\2,' "$out/perf.raw" >"$out/perf.txt"
    import_files "$out/perf.txt"
}
