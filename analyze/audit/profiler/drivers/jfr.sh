# Runs JDK Flight Recorder in every JVM that the command starts.
# shellcheck shell=sh disable=SC2034
about='JDK Flight Recorder, settings profile'
format=jfr
blind='samples are of threads that run Java code (jdk.ExecutionSample): what they spend in native code and in the JVM is in none, and other methods have too large a share'
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
