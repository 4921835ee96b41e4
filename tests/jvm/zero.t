#!/bin/sh
# The Zero VM (openjdk-17-jre-zero), whose interpreter is C++ inside libjvm: what works does, and one line says what does not.
. "$(dirname "$0")/lib.sh"
java=${JAVA:-java}
"$java" -zero -version 2>version
grep -q 'Zero VM' version || skip_all "there is no Zero VM here (openjdk-17-jre-zero)"
victim Calls
record=$build/libexec/assay/assay-record
phases=$build/libexec/assay/assay-phases

# recorded OPTION...: records 50 rounds of Calls in out
recorded() {
    rm -rf out
    timeout -k 5 300 "$record" -q -o out "$@" -- "$java" -zero -cp . Calls "${rounds:-50}" >said 2>err
    status=$?
    grep -v 'JAVA_TOOL_OPTIONS' err >lines
}
"$java" -zero -cp . Calls 50 >alone

recorded
is "$status/$(cat said)" "0/$(cat alone)" 'mode cpu: the program is what it is alone'
is "$(grep -c 'Zero VM hides Java frames' lines)" 1 '  and one line says that methods are hidden'
rounds=40000 recorded --clock safepoint
unlike lines 'Zero VM' 'clock safepoint: no message'
"$build/libexec/assay/assay-hot" -q --inclusive --format csv out/*.trace >table
like table 'Calls[.]main' '  samples have methods'
if [ -e "$build/lib/assay/assay-methods.jar" ]; then
    recorded --mode methods --min-bytes 0 --include 'Calls.*' --max-cost 100%
    # A round calls a once, b 100 times, and c twice for each b.
    "$phases" -q --totals --columns method,calls --format csv out/*.trace | grep Calls | sort >table
    is "$(cat table)" 'Calls.a(int),50
Calls.b(int),5000
Calls.c(int),10000
Calls.main(String[]),1' 'mode methods: every call'
else
    skip 'mode methods: this build has no class rewriter'
fi
for mode in dead-store calls; do
    recorded --mode $mode
    if grep -q 'no watchpoints' lines; then
        skip "mode $mode: no watchpoints here"
        continue
    fi
    is "$(cat said)" "$(cat alone)" "mode $mode: the program is what it is alone"
    is "$(grep -c 'Zero VM hides Java frames from samples, so this JVM is not recorded' lines)" 1 '  one line says that it is not recorded'
    is "$(find out -name '*.trace')" '' '  and there is no trace'
done
done_testing
