#!/bin/sh
# assay export --events: Chrome's B and E events and folded stacks, from traces whose every event is known.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_trace tests/make_events
export=$build/libexec/assay/assay-export
make_trace=$build/tests/make_trace

CHUNK=2 "$make_trace" good.trace <<'END'
enter t 1000 main
enter u 1500 other
enter t 2000 f"
exit t 2007 f"
exit-by-exception u 3500 other
enter t 5000 f"
enter t 5500 g
unfinished t 6000 g
exit t 6500 f"
exit t 10001 main
END
"$export" --to chrome --events good.trace >good.json 2>err
is "$? $(cat err)" '0 ' 'Chrome: status 0, no complaint'
python3 - >got <<'END'
import json
events = json.load(open("good.json"))["traceEvents"]
names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
for e in events:
    if e["ph"] != "M":
        print(names[e["tid"]], e["ph"], e["name"], "%.3f" % e["ts"], e.get("args", {}).get("left", ""))
END
is "$(sort -s -k 1,1 got)" 't B main 1.000 
t B f" 2.000 
t E f" 2.007 
t B f" 5.000 
t B g 5.500 
t E g 6.000 unfinished
t E f" 6.500 
t E main 10.001 
u B other 1.500 
u E other 3.500 exit-by-exception' '  every event with its thread, time and way out'
# Two traces of one process have different process numbers; threads have the system's numbers.
printf '%s\n' 'enter t 1 f' 'exit t 2 f' | "$make_trace" process.trace pid=4711
"$export" --to chrome --events process.trace process.trace >two.json
is "$(python3 -c '
import json
events = [e for e in json.load(open("two.json"))["traceEvents"] if e["ph"] in "BE"]
print([e["pid"] for e in events], len({e["tid"] for e in events}))')" '[4711, 4711, 1073741825, 1073741825] 1' \
    'Chrome: the first trace has the number of the process, the second one another'
is "$("$export" --to folded --events good.trace)" 'main 7494
main;f" 1007
main;f";g 500
other 2000' 'folded: the exclusive time of each stack'
is "$("$export" --to folded --events --threads good.trace good.trace)" 't;main 14988
t;main;f" 2014
t;main;f";g 1000
u;other 4000' '  by thread, two traces added up'

"$make_trace" bad.trace <<'END'
exit t 10 gone
enter t 20 a
enter t 30 b
enter t 40 c
exit t 60 b
exit t 70 gone
enter t 80 d
END
"$export" --to chrome --events bad.trace >bad.json 2>err
is "$? $(sed 's/.*trace: //' err)" '0 1 calls have no exit: they end with the call below them
2 exits have no entry and are left out
2 calls are open at the end: they end with the last event of their thread' 'events that do not nest are counted'
is "$(grep -c '"ph":"B"' bad.json) $(grep -c '"ph":"E"' bad.json)" '4 4' '  what is written nests'
is "$("$export" --to folded --events bad.trace 2>/dev/null)" 'a 30
a;b 10
a;b;c 20' '  folded stacks nest the same way'

awk 'BEGIN { for (i = 0; i < 1500; i++) print "enter t", i, "f"; for (; i < 3000; i++) print "exit t", i, "f" }' |
    "$make_trace" deep.trace
"$export" --to folded --events deep.trace >deep 2>err
is "$(awk -F';' 'NF > n { n = NF } { sub(/.* /, ""); sum += $0 } END { print n, sum }' deep) $(sed 's/.*trace: //' err)" \
    '1024 2999 476 calls are nested too deeply for this format and are part of their caller' \
    'folded: a stack has at most 1024 methods, the deeper calls are counted, and no time is missing'
"$build/tests/make_events" wide.trace 300000 12
"$export" --to folded --events wide.trace >wide 2>err
is $? 0 'folded: more stacks than the format has room for: status 0'
is "$(grep -c . wide | awk '{ print ($1 <= 65536) }') $(grep -c 'calls on stacks after the first 65536' err)" '1 1' \
    '  a line counts the calls that are part of their caller'
is "$(awk '{ sum += $NF } END { printf "%.0f\n", sum }' wide)" \
    "$("$build/libexec/assay/assay-phases" --totals --share-of time_ns --format csv wide.trace 2>/dev/null | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { if ($at["total"] > most) most = $at["total"] }
        END { printf "%.0f\n", most }')" '  no time is missing'
"$export" --to chrome --events wide.trace >wide.json 2>err
is "$? $(grep -c '"ph":"B"' wide.json) $(grep -c '"ph":"E"' wide.json)" '0 300000 300000' 'Chrome: all 600,000 events'

printf 't 1 5 5 main\n' | "$make_trace" samples.trace
"$export" --to chrome --events samples.trace >out 2>err
is $? 1 'a trace of samples has no events: status 1'
like err 'no events: record them' '  a line says what to do'
"$export" --to folded good.trace >out 2>err
is $? 1 'a trace of events without --events: status 1'
like err 'use --events' '  a line says what to do'
for options in '--to pprof' '--to folded --pairs' '--to folded --lines' '--to chrome --threads'; do
    "$export" $options --events good.trace >out 2>err
    is $? 2 "--events $options: status 2"
done
head -c 400 good.trace >cut.trace
"$export" --to chrome --events cut.trace >cut.json 2>err
is "$? $(python3 -c 'import json; json.load(open("cut.json")); print("whole")')" '1 whole' \
    'a cut trace: status 1, and what is written is JSON'
done_testing
