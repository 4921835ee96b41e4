#!/bin/sh
# Methods lose their probes because they are short or because their probes cost too much. Their unrecorded calls are
# counted, and all other calls are recorded. The programs print how many calls there were.
. "$(dirname "$0")/lib.sh"
cc -O1 -finstrument-functions -pthread -o methods "$root/tests/victims/methods.c" || exit 1
cc -O1 -finstrument-functions -o spin "$root/tests/victims/methods_spin.c" || exit 1
c++ -O1 -finstrument-functions -o methods_throw "$root/tests/victims/methods_throw.cc" || exit 1

# unrecorded: how many calls all traces count of methods that had lost their probes
unrecorded() {
    for trace in out/*.trace; do
        "$dump" --kind lost --format csv "$trace"
    done 2>log | awk -F, '$3 == "given up" { sum += $4 } END { printf "%d\n", sum }'
}

# given_up: "METHOD WHY" for each such method of all traces
given_up() {
    for trace in out/*.trace; do
        "$build/libexec/assay/assay-info" --format json "$trace"
    done 2>log | python3 -c '
import json, sys
text, at = sys.stdin.read(), 0
while text[at:].strip():
    trace, end = json.JSONDecoder().raw_decode(text[at:].lstrip())
    at = len(text) - len(text[at:].lstrip()) + end
    for method in trace["given_up"]:
        print(method["method"].split("(")[0], method["why"])'
}

# tried ARGUMENT...: records, and writes what counted prints to ./counts
tried() {
    recorded "$@"
    status=$?
    counted >counts 2>log
    return $status
}
# entered METHOD: its recorded calls, from ./counts
entered() {
    awk -v name="$1" '$1 == name && $2 == "enter" { print $3 }' counts
}

tried --give-up-below 1ms -- ./methods 2000000
is $? 0 '--give-up-below 1ms: status 0'
is "$(given_up)" 'leaf short' '  only the method with more than a thousand calls loses its probes'
is "$(($(entered leaf) + $(unrecorded)))" 2004005 '  every call is recorded or counted'
between 1000 "$(entered leaf)" 2000000 '  and not all are recorded'
is "$(grep -Ev '^leaf' counts)" "$without_leaf" '  all other calls are recorded, and nest'
like err 'methods that lost their probes: 1 .1 took less than 1000 us.; [0-9]+ calls of theirs are not recorded' \
    '  one line on stderr reports it'
"$build/libexec/assay/assay-info" "$(ls -S out/*.trace | head -1)" >info 2>log
like info 'no probes +[0-9]+ calls of [0-9]+ ns before: leaf .less than requested' '  and assay info names the method'

recorded -- ./methods 100000
is "$(given_up)$(unrecorded)" 0 'without the option no method loses its probes for being short'

tried --max-cost 0.1% -- ./spin
is $? 0 '--max-cost: status 0'
is "$(given_up)" 'leaf costly' '  the method whose probes cost most loses them'
is "leaf $(($(entered leaf) + $(unrecorded)))" "$(cat said)" '  every call is recorded or counted'
is "$(grep -Ev '^leaf' counts)" 'main enter 1
main exit 1
stretch enter 100
stretch exit 100' '  all other calls are recorded, and nest'

# Exceptions pass through a method while its last records with probes are being written.
recorded --give-up-below 1s -- ./methods_throw
is "$(counted | grep -c broken)" 0 'recorded calls nest when exceptions are thrown, too'

recorded --give-up-below x -- ./methods
is $? 2 '--give-up-below without a time: status 2'
like err 'give-up-below x: must be a time' '  and a message tells what is expected'

if command -v javac >/dev/null && [ -e "$build/lib/assay/assay-methods.jar" ]; then
    compile_java -d . "$root/tests/victims/java/Brief.java" || exit 1
    for option in '--give-up-below 1ms' '--give-up-below 1ms --counters allocated'; do
        tried $option -- java -Xverify:all -cp . Brief
        is "$? $(sed 's/.*sum/sum/' said)" '0 sum 0' "Java, $option: the program computes the right result"
        is "$(given_up)" 'Brief.brief short' '  the short method loses its probes'
        calls=$(awk '{ print $2 }' said)
        between 1000 "$(($(entered Brief.brief) + $(unrecorded)))" $((calls - 1)) \
            '  its code has no probes any more: later calls are not even counted'
        is "$(grep -Ev '^Brief.brief' counts)" 'Brief.extended enter 50
Brief.extended exit 50
Brief.main enter 1
Brief.main exit 1' '  all other calls are recorded, and nest'
    done
fi
done_testing
