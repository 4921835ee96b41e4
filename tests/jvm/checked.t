#!/bin/sh
# -Xcheck:jni: the JVM checks every use of JNI, also that of agents, and whether its signal handlers are still there. It
# prints what it finds to standard output, so a program that is recorded prints the same as alone only if it finds nothing.
. "$(dirname "$0")/lib.sh"
victim Calls Methods
record=$build/libexec/assay/assay-record

# checked JAVA NAME OPTION...: in this mode Methods, which throws, loads classes and starts
# threads, and Calls, whose methods lose their probes, print what they print alone
checked() {
    java=$1
    name=$2
    shift 2
    for program in 'Methods 100' 'Calls 20000000'; do
        # shellcheck disable=SC2086
        "$java" -Xcheck:jni -cp . $program >alone 2>/dev/null
        expected=$?
        rm -rf out
        # shellcheck disable=SC2086
        timeout -k 5 600 "$record" -q -o out "$@" -- "$java" -Xcheck:jni -cp . $program >said 2>err
        status=$?
        if grep -q 'no watchpoints' err; then
            skip "$name: no watchpoints here"
            return
        fi
        is "$status" "$expected" "$name, ${program%% *}: the exit status is that of the program"
        is "$(cat said)" "$(cat alone)" '  and so is the output'
    done
    is "$(find out -name '*.trace' | wc -l)" 1 '  and it is recorded'
}

for java in $(javas); do
    of="JDK $(version "$(dirname "$(dirname "$java")")")"
    checked "$java" "$of, CPU"
    checked "$java" "$of, safepoints" -c safepoint
    checked "$java" "$of, silent loads" -m silent-load
    [ ! -e "$build/lib/assay/assay-methods.jar" ] || checked "$java" "$of, methods" -m methods --counters allocated
done
done_testing
