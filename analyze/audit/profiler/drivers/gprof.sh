# gprof profiles native programs that were compiled and linked with -pg. It samples every 10 ms, whatever the period.
# shellcheck shell=sh disable=SC2034
about='gprof, flat profile'
format="gprof's flat profile"
present() {
    command -v gprof >/dev/null || { echo 'there is no gprof; install binutils'; return 1; }
    program=$(command -v "$1") || { echo "there is no program $1"; return 1; }
    nm "$program" 2>/dev/null | grep -qE ' (mcount|__monstartup|_mcount|__gmon_start__.*T)|U mcount' || {
        echo "$1 was not compiled with -pg, which gprof needs"
        return 1
    }
}
start() {
    GMON_OUT_PREFIX=$out/gmon "$@"
}
collect() {
    for left in "$out"/gmon.[0-9]*; do
        [ -e "$left" ] || return 0
        gprof -b -p "$(command -v "$1")" "$left" >"$out/gprof.${left##*.}.txt" 2>"$out/gprof.log" || {
            echo "gprof failed: $(tail -n 1 "$out/gprof.log")"
            return 1
        }
    done
    import_files "$out"/gprof.*.txt
}
