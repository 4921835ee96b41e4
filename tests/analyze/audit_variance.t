#!/bin/sh
# assay audit variance: chosen calls against every call, with values that can be computed by hand.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_trace
audit=$build/libexec/assay/assay-audit
make_trace=$build/tests/make_trace

# Every call of f takes 20 or 60, in turn: mean 40, CoV 1/2 · √(40/39) = 0.506370; of g always 50. h is called 5 times.
awk 'function call(name, time) { print "enter", "t", now, name; now += time; print "exit", "t", now, name }
    BEGIN { now = 1; for (i = 0; i < 40; i++) { call("f", i % 2 ? 60 : 20); call("g", 50); if (i < 5) call("h", 10) } }' |
    "$make_trace" exact.trace mode=methods exe=/usr/bin/prog series=a run=1
# Chosen: the short ones less often than the long ones, 10 to 30, but each stands for three times as many. So the mean is 40
# with weights and 50 without. Weighted variance: Σw(x−x̄)² = 60·400, Σw = 60, Σw² = 10·9 + 30 = 120: 24000/(60 − 2) =
# 413.793, CoV 0.508548; unweighted: (10·900 + 30·100)/39 = 307.692, CoV 0.350823.
awk 'function call(name, time, weight) { n++; print "instance call t", now, n, weight, 0, 0, "main;" name; now += time
        print "instance return t", now, n, 0, time, 0 }
    BEGIN { now = 1; for (i = 0; i < 40; i++) { call("f", i % 4 ? 60 : 20, i % 4 ? 1000 : 3000); call("g", 50, 1000) } call("h", 10, 1000) }' >chosen
"$make_trace" chosen.trace mode=calls exe=/bin/prog series=b run=1 <chosen
"$audit" variance --format csv --exact exact.trace chosen.trace >out 2>err
is $? 0 'chosen against exact: status 0'
column() {
    awk -F, -v OFS=, -v names="$*" 'NR == 1 { n = split(names, want, " "); for (i = 1; i <= NF; i++) at[$i] = i; next }
        { line = ""; for (i = 1; i <= n; i++) { v = (want[i] in at) ? $at[want[i]] : "no " want[i]
              line = line (i > 1 ? "," : "") (v ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ ? sprintf("%.6g", v) : v) } print line }'
}
is "$(column program function metric n_exact n mean_exact mean <out | xargs)" \
    'prog,f,time_ns,40,40,40,40 prog,g,time_ns,40,40,50,50' 'programs by their names, functions with enough instances'
is "$(column function cv_exact cv error_points good covered cv_unweighted <out | xargs)" \
    'f,0.50637,0.508548,0.217794,1,1,0.350823 g,0,0,0,1,1,0' 'the CoV of each, with its error, with and without weights'
"$audit" variance --exact exact.trace chosen.trace >text 2>err
like text 'median 0.11, largest 0.22 points; 2 of 2 within 2 points or 10 % of it .unweighted 1.; 2 intervals' 'a summary'
"$audit" variance --least 2 --format csv exact.trace chosen.trace >out 2>err
is "$(column function <out | xargs)" 'f g' '--least: functions with few instances, but two at least'
"$audit" variance --save-state a.state exact.trace 2>err
"$audit" variance --save-state b.state chosen.trace 2>err
"$audit" variance --format csv exact.trace chosen.trace >whole 2>err
"$audit" variance --format csv a.state b.state >parts 2>err
"$audit" variance -j 4 --format csv chosen.trace exact.trace >turned 2>err
is "$(cmp whole parts && cmp whole turned && echo same)" same 'partial states, another order: the same bytes'
"$build/libexec/assay/assay-merge" -o merged.state a.state b.state 2>err
is "$? $(wc -c <err)" '0 0' 'assay merge joins states: status 0'
"$audit" variance --format csv merged.state >parts 2>err
is "$(cmp whole parts && echo same)" same '  the joined state: the same bytes'
"$audit" waste a.state >out 2>err
is $? 1 'a state of audit variance given to audit waste: status 1'
like err 'a.state: is a state of assay-audit variance; use it with that program' '  one line says whose it is'
# The programs of a state are rows of a text's number, and of what the traces of each kind say.
grep -o '"programs":.*' b.state | cut -c1-25 >out
like out '^"programs":..0,null,{' 'a state lists its programs'
for damage in 's/"programs":\[\[0,/"programs":[[1,/' 's/"programs":\[\[0,null,/"programs":[[0,{},/' 's/"programs":\[\[0,null,/"programs":[[0,7,/' \
    's/,{"texts":\[[^{]*}]]}}/,null]]}}/' 's/"programs"/"program"/'; do
    sed "$damage" b.state >bad.state
    "$audit" variance a.state bad.state >out 2>err
    is "$? $(cmp -s b.state bad.state || grep -c 'bad.state: the saved state is damaged' err)" '1 1' "a damaged state is refused: $damage"
done
sed 's/"subject":"variance"/"subject":"--help"/' a.state >bad.state
"$build/libexec/assay/assay-merge" -o merged.state bad.state >out 2>err
is "$? $(grep -c 'not a saved state' err)" '1 1' 'assay merge takes no option from a state'
"$audit" variance exact.trace >out 2>err
is $? 1 'one way only: status 1'
like err '1 program was recorded in one way only' '  one line says so'
"$make_trace" other.trace mode=calls exe=/bin/other <chosen
"$audit" variance exact.trace chosen.trace other.trace >out 2>err
is $? 0 'a program without the other mode'
like err '1 program was recorded in one way only and left out' '  is left out'
"$audit" variance --help >out 2>err
like out 'chosen at random' '--help'
done_testing
