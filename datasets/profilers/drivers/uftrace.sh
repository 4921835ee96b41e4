# uftrace: entries and exits of the functions of a program that was compiled with -pg or -finstrument-functions.
# shellcheck shell=sh disable=SC2034
about='uftrace, entries and exits'
format="Chrome's trace"
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
collect() {
    uftrace dump -d "$out/uftrace" --chrome >"$out/uftrace.json" 2>"$out/uftrace.log" || {
        echo "uftrace dump failed: $(tail -n 1 "$out/uftrace.log")"
        return 1
    }
    import_files "$out/uftrace.json"
}
