#!/bin/sh
# A JVM ends as it would without the agent, and the trace is complete.
. "$(dirname "$0")/lib.sh"
victim Leave

for clock in random safepoint; do
    for end in exit:7 halt:8 throw:1 return:0 interrupt:130; do
        trace "$clock" 5000000 -cp . Leave "${end%:*}"
        is "$status" "${end#*:}" "$clock: ${end%:*} gives status ${end#*:}"
        whole '  the trace is whole'
        between 10 "$(samples Leave.work)" 100000 '  it has samples of the program'
    done
done

trace random 5000000 -cp . NoSuchClass
is "$status" 1 'an unknown main class: status 1'
[ ! -e out.trace ] || whole '  the trace is whole, if there is one'
trace random 5000000 -XX:NoSuchOption -version
is "$status" 1 'an unknown JVM option: status 1'
[ ! -e out.trace ]
ok $? '  no trace is left'

JAVA_TOOL_OPTIONS="-agentpath:$agent" java -cp . Leave return >out 2>err
is "$? $(grep -c assay: err)" '0 0' 'without configuration the agent prints nothing'
for config in '{"directory":"/nonexistent","clock":"random"}' '{"directory":' \
    "{\"directory\":\"$scratch\",\"mode\":\"calls\"}"; do
    ASSAY_RECORD=$config JAVA_TOOL_OPTIONS="-agentpath:$agent" java -cp . Leave return >out 2>err
    is "$? $(cat out) $(grep -c '^assay: ' err)" '0 ready 1' \
        "a bad configuration: one line, and the program runs: $config"
    [ -z "$(ls ./*.trace 2>/dev/null)" ]
    ok $? '  no trace is left'
done

# The process that writes native traces may be late with that of a shell that has become the JVM: both have the same name
# but for a suffix, whichever of them is first. It is stopped until the JVM's agent has started, more or less.
cat >become <<'END'
read -r writers <"/proc/$PPID/task/$PPID/children"
for writer in $writers; do [ "$writer" = $$ ] || kill -STOP "$writer"; done
sleep 0.06
(sleep "$1"; for writer in $writers; do [ "$writer" = $$ ] || kill -CONT "$writer"; done) &
exec java -cp . Leave return
END
for pause in 0.03 0.06 0.09 0.12; do
    "$build/libexec/assay/assay-record" -q -o "late-$pause" -- sh become $pause >out 2>err
    is "$?" 0 "another trace is written $pause s after the shell has become a JVM: status 0"
    for file in "late-$pause"/*.trace; do
        "$build/libexec/assay/assay-info" "$file" 2>/dev/null
    done | grep -c 'collector  *jvm' >found
    is "$(cat found)" 1 '  the JVM has its own'
done
done_testing
