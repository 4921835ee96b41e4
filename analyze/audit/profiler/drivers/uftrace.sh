# uftrace records entries and exits of functions in a program that was compiled with -pg or -finstrument-functions.
# shellcheck shell=sh disable=SC2034
about='uftrace, entries and exits'
format="Chrome's trace"
samples=wall
present() {
    command -v uftrace >/dev/null || { echo 'there is no uftrace; install it'; return 1; }
    program=$(command -v "$1") || { echo "there is no program $1"; return 1; }
    nm -D "$program" 2>/dev/null | grep -qE 'mcount|__cyg_profile_func_enter|__fentry__' || {
        echo "$1 was compiled without -pg or -finstrument-functions, one of which uftrace needs"
        return 1
    }
}
start() {
    uftrace record -b 16m -d "$out/uftrace" "$@"
}
# Its losses are reported as damage.
collect() {
    uftrace dump -d "$out/uftrace" --chrome >"$out/uftrace.json" 2>"$out/uftrace.log" || {
        echo "uftrace dump failed: $(tail -n 1 "$out/uftrace.log")"
        return 1
    }
    lost=$(sed -n 's/.*LOST \([0-9][0-9]*\) records.*/\1/p' "$out/log" | awk '{ n += $1 } END { print n + 0 }')
    times=$(sed -n 's/.*records are lost[^0-9]*\([0-9][0-9]*\) times.*/\1/p' "$out/uftrace.log")
    import_files "$out/uftrace.json" || return 1
    if [ "$lost" != 0 ]; then
        echo "uftrace lost $lost records, which its profile lacks" >>"$out/damage"
    elif [ -n "$times" ]; then
        echo "uftrace lost records $times times, which its profile lacks" >>"$out/damage"
    fi
}
