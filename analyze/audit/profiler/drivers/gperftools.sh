# Preloads gperftools' CPU profiler into a native program.
# shellcheck shell=sh disable=SC2034
about="gperftools' CPU profiler"
format="gperftools' CPU profile"
library() {
    PATH=$PATH:/usr/sbin:/sbin ldconfig -p | awk '/libprofiler\.so/ { print $NF; exit }'
}
present() {
    [ -n "$(library)" ] || { echo 'there is no libprofiler; install libgoogle-perftools4'; return 1; }
}
start() {
    LD_PRELOAD="$(library)${LD_PRELOAD:+:$LD_PRELOAD}" CPUPROFILE="$out/cpu.prof" CPUPROFILE_FREQUENCY=$((1000 / period_ms)) "$@"
}
collect() {
    import_files "$out"/cpu.prof*
}
