# JDK Flight Recorder, in every JVM that the command starts.
# shellcheck shell=sh disable=SC2034
about='JDK Flight Recorder, settings profile'
format=jfr
present() {
    command -v java >/dev/null || { echo 'there is no java; install a JDK'; return 1; }
}
start() {
    mkdir -p "$out/jfr"
    JAVA_TOOL_OPTIONS="${JAVA_TOOL_OPTIONS:-} -XX:StartFlightRecording=filename=$out/jfr,settings=profile,dumponexit=true" "$@"
}
collect() {
    import_files --profile jdk.ExecutionSample "$out"/jfr/*.jfr
}
