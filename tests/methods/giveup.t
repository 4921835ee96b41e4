#!/bin/sh
# Methods that lose their probes, since they are short or since probes cost too much: what is not recorded is counted,
# all the rest is right. The programs say how many calls there were.
. "$(dirname "$0")/lib.sh"
cc -O1 -finstrument-functions -pthread -o methods "$root/tests/victims/methods.c" || exit 1
cc -O1 -finstrument-functions -o spin "$root/tests/victims/methods_spin.c" || exit 1
c++ -O1 -finstrument-functions -o methods_throw "$root/tests/victims/methods_throw.cc" || exit 1

# unrecorded: calls of methods without their probes, in all traces
unrecorded() {
    for trace in out/*.trace; do
        "$dump" --kind lost --format csv "$trace"
    done 2>log | awk -F, '$3 == "given up" { sum += $4 } END { printf "%d\n", sum }'
}

# given_up: "METHOD WHY" of all traces
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
# tried ARGUMENT...: records, and counts into ./counts
tried() {
    recorded "$@"
    status=$?
    counted >counts 2>log
    return $status
}
entered() {
    awk -v name="$1" '$1 == name && $2 == "enter" { print $3 }' counts
}

tried --give-up-below 1ms -- ./methods 2000000
is $? 0 'below 1 ms: status 0'
is "$(given_up)" 'leaf short' '  what was called more than a thousand times loses its probes'
is "$(($(entered leaf) + $(unrecorded)))" 2004005 '  every call is recorded or counted'
between 1000 "$(entered leaf)" 2000000 '  not all are recorded'
is "$(grep -Ev '^leaf' counts)" "$without_leaf" '  all else is there, and nests'
like err 'process [0-9]+: methods that lost their probes: 1 .1 took less than 1000 us.; [0-9]+ calls of theirs are not recorded' '  one line says so'
"$build/libexec/assay/assay-info" "$(ls -S out/*.trace | head -1)" >info 2>log
like info 'no probes +[0-9]+ calls of [0-9]+ ns before: leaf .less than requested' '  and assay info, which'

recorded -- ./methods 100000
is "$(given_up)$(unrecorded)" 0 'without the option nothing is given up for its length'

tried --max-cost 0.1% -- ./spin
is $? 0 '--max-cost: status 0'
is "$(given_up)" 'leaf costly' '  who makes probes take more loses them'
is "leaf $(($(entered leaf) + $(unrecorded)))" "$(cat said)" '  every call is recorded or counted'
is "$(grep -Ev '^leaf' counts)" 'main enter 1
main exit 1
stretch enter 100
stretch exit 100' '  all else is there, and nests'

# While a method drains, exceptions pass it by.
recorded --give-up-below 1s -- ./methods_throw
is "$(counted | grep -c broken)" 0 'exceptions: what is there nests'

recorded --give-up-below x -- ./methods
is $? 2 'no time: status 2'
like err 'give-up-below x: must be a time' '  and a line that says it'

if command -v javac >/dev/null && [ -e "$build/lib/assay/assay-methods.jar" ]; then
    javac -d . "$root/tests/victims/java/Brief.java" || exit 1
    for option in '--give-up-below 1ms' '--give-up-below 1ms --counters allocated'; do
        tried $option -- java -Xverify:all -cp . Brief
        is "$? $(sed 's/.*sum/sum/' said)" '0 sum 0' "Java, $option: the program is right"
        is "$(given_up)" 'Brief.brief short' '  the short method loses its probes'
        calls=$(awk '{ print $2 }' said)
        between 1000 "$(($(entered Brief.brief) + $(unrecorded)))" $((calls - 1)) '  they are out of its code: later calls are not even counted'
        is "$(grep -Ev '^Brief.brief' counts)" 'Brief.extended enter 50
Brief.extended exit 50
Brief.main enter 1
Brief.main exit 1' '  all else is there, and nests'
    done
fi
done_testing
