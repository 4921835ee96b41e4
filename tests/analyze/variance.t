#!/bin/sh
# assay variance: estimates that can be computed by hand, the guidance of Table 5.1, contexts, the tree of --explain, and
# the same bytes for any -j, any order and any split into partial states.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_trace tests/make_events
programs=$build/libexec/assay
make_trace=$build/tests/make_trace
variance() {
    "$programs/assay-variance" "$@" 2>err
}
# column NAME...: of the CSV on standard input, without the header
column() {
    awk -F, -v OFS=, -v names="$*" 'NR == 1 { n = split(names, want, " "); for (i = 1; i <= NF; i++) at[$i] = i; next }
        { line = ""; for (i = 1; i <= n; i++) line = line (i > 1 ? "," : "") (want[i] in at ? $at[want[i]] : "no " want[i])
          print line }'
}
# rounded: numbers with 6 digits
rounded() {
    awk -F, -v OFS=, '{ for (i = 1; i <= NF; i++) if ($i ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/) $i = sprintf("%.6g", $i); print }'
}

# steady: 50 each time; bimodal: 20 or 100; growing: 20, 21, …; leaf: 20 below small and 80 below large; total: 30 itself,
# varying 10 or 90, and fixed 40; 100 times each.
cat >known.awk <<'END'
function event(what, method) { print what, "main", now, method }
function leaf(method, time) { event("enter", method); now += time; event("exit", method) }
BEGIN {
    now = 1000
    for (i = 0; i < 100; i++) {
        leaf("steady", 50)
        leaf("bimodal", i % 2 ? 100 : 20)
        leaf("growing", 20 + i)
        event("enter", "small"); leaf("leaf", 20); event("exit", "small")
        event("enter", "large"); leaf("leaf", 80); event("exit", "large")
        event("enter", "total"); now += 30; leaf("varying", i % 2 ? 90 : 10); leaf("fixed", 40); event("exit", "total")
    }
}
END
awk -f known.awk | "$make_trace" known.trace
variance --format csv known.trace >out
is $? 0 'known distributions: status 0'
# Sample standard deviations: of two values alike often, half their difference times √(n/(n−1)); of 0 … 99,
# √((100²−1)/12 · 100/99) = 29.01149.
is "$(column function n mean sd cv <out | rounded | sort)" 'bimodal,100,60,40.2015,0.670025
fixed,100,40,0,0
growing,100,69.5,29.0115,0.417432
large,100,80,0,0
leaf,200,50,30.0753,0.601506
small,100,20,0,0
steady,100,50,0,0
total,100,120,40.2015,0.335013
varying,100,50,40.2015,0.80403' 'n, mean, sd and CoV of each'
# All of it: 100 · (50 + 60 + 69.5 + 20 + 80 + 120)
is "$(column function share <out | rounded | sort | xargs)" \
    'bimodal,0.150188 fixed,0.100125 growing,0.173967 large,0.20025 leaf,0.250313 small,0.0500626 steady,0.125156 total,0.300375 varying,0.125156' \
    'shares of the program'
is "$(column function trend <out | grep -v ',$' | cut -d, -f 1)" growing 'only growing has a trend'
# The interval of two values alike often: κ = 1 before its correction, so e = cov/√n, nearly.
is "$(column function cv_lo cv_hi <out | awk -F, '/^bimodal/ { print ($2 < 0.59 && $2 > 0.58 && $3 > 0.76 && $3 < 0.77) }')" 1 \
    'the interval of the bimodal one'
is "$(column function cv_lo cv_hi <out | awk -F, '/^steady/ { print $2 "-" $3 }')" 0-0 'that of equal values'
is "$(column function guidance <out | sort)" 'bimodal,reduce variance
fixed,not variance
growing,reduce variance
large,not variance
leaf,reduce variance
small,no action
steady,not variance
total,reduce variance
varying,reduce variance' 'guidance by the thresholds of the paper'
is "$(variance --high-share 13% --format csv known.trace | column function guidance | sort | xargs)" \
    'bimodal,reduce variance fixed,no action growing,reduce variance large,not variance leaf,reduce variance small,no action steady,no action total,reduce variance varying,little benefit' \
    '  and by others'
is "$(variance --high-within 60% --format csv known.trace | column function guidance | grep -E '^(leaf|total)' | sort | xargs)" \
    'leaf,unclear total,not variance' '  an interval that holds its threshold decides nothing'

is "$(variance --contexts --format csv known.trace | column function context n mean cv | grep ^leaf | rounded | sort)" \
    'leaf,large,100,80,0
leaf,small,100,20,0' 'two contexts with different means'

variance --explain total --format csv known.trace >out
is "$(column function instances mean share_of_mean share_of_variance <out | rounded)" 'total,100,120,1,1
  (itself),100,30,0.25,0
  varying,100,50,0.416667,1
  fixed,100,40,0.333333,0' 'all of the variance comes from one callee'
# f takes a, g(a) and h(−a/2): var(f) = cov(a + g + h, f), so the shares are 1/1.5, 1/1.5 and −0.5/1.5.
awk 'BEGIN { now = 0; for (i = 0; i < 50; i++) { a = i % 5 * 10
    print "enter", "t", now, "f"; now += a; print "enter", "t", now, "g"; now += a; print "exit", "t", now, "g"
    print "enter", "t", now, "h"; now += 100; print "enter", "t", now, "deep"; now += 100 - a / 2; print "exit", "t", now, "deep"
    print "exit", "t", now, "h"; print "exit", "t", now, "f" } }' | "$make_trace" tree.trace
is "$(variance --explain f --format csv tree.trace | column function share_of_variance correlation | rounded)" 'f,1,1
  (itself),0.666667,
  g,0.666667,1
  h,-0.333333,-1
    (itself),0,
    deep,-0.333333,-1' 'shares of a tree add up, and may be negative'
awk 'BEGIN { now = 0; for (i = 0; i < 10; i++) { print "enter", "t", now, "f"; print "enter", "t", now + 5, "f"
    now += 10 + i; print "exit", "t", now, "f"; print "exit", "t", ++now, "f" } }' | "$make_trace" recursive.trace
is "$(variance --explain f --format csv recursive.trace | column function instances mean | rounded)" 'f,10,15.5' \
    'a call within one of the same function is part of it'
is "$(variance --format csv recursive.trace | column function n share | rounded)" 'f,20,1' \
    '  each is an instance, and the outermost ones make the share'

# Four threads with 40 each time, one with 60: the means 40, 40, 40, 60 have sd 10 and mean 45.
awk 'BEGIN { for (t = 1; t <= 4; t++) for (i = 0; i < 20; i++) { now = i * 100; print "enter", "w/" t, now, "f"
    print "exit", "w/" t, now + (t < 4 ? 40 : 60), "f" } }' | "$make_trace" threads.trace
is "$(variance --format csv threads.trace | column function n cv threads cv_between_threads between_lo between_hi | rounded)" \
    'f,80,0,4,0.222222,0.222222,0.222222' 'a slower thread is between threads, not within them'
is "$(variance --format csv threads.trace | column guidance)" 'reduce variance' '  and is a reason to act'
# With 0 to 9 on top of 40 in all threads there is nothing between them.
awk 'BEGIN { for (t = 1; t <= 4; t++) for (i = 0; i < 100; i++) { now = i * 100; print "enter", "w/" t, now, "f"
    print "exit", "w/" t, now + 40 + (i * 7 + t * 3) % 10, "f" } }' | "$make_trace" alike.trace
is "$(variance --format csv alike.trace | column cv_between_threads)" 0 'threads that are alike'

# The first begins after steady and bimodal: 50 + 20 ns. Before the last, 99 rounds took 39421 ns, and then 50 + 100.
variance --instances growing --format csv known.trace >out
is "$(sed 1d out | wc -l)$(sed -n '2p;101p' out | cut -d, -f 2- | tr '\n' ' ')" '1007e-08,1,,20 3.9571e-05,1,,119 ' \
    'single instances, by time'
variance --instances growing --format csv --top 3 known.trace >out
is "$(sed 1d out | wc -l)" 3 '  only some'
variance --instances none known.trace >out
is $? 1 '  of a function that has none: status 1'
like err "no instance of 'none'" '  a warning says so'
variance --explain none known.trace >out
is $? 1 'nothing to explain: status 1'

# Probes: 10 ns a pair, 4 of it between the entry and the exit
awk 'BEGIN { for (i = 0; i < 10; i++) { print "enter", "t", i * 100, "f"; print "enter", "t", i * 100 + 10, "g"
    print "exit", "t", i * 100 + 40, "g"; print "exit", "t", i * 100 + 60, "f"; print "enter", "t", i * 100 + 70, "short"
    print "exit", "t", i * 100 + 73, "short" } }' | "$make_trace" probes.trace 'probe={"pair_ns": 10, "exit_ns": 4}'
is "$(variance --format csv probes.trace | column function mean | sort | xargs)" 'f,46 g,26 short,0' 'probes cost nothing'
like err '10 of 30 instances took less time than recording them' '  a warning counts what is shorter'

# Calls that do not end, exits without an entry, exceptions
printf '%s\n' 'enter t 0 f' 'enter t 1 g' 'exit t 5 f' 'exit t 6 h' 'enter t 7 f' 'exit-by-exception t 9 f' 'enter t 10 g' |
    "$make_trace" broken.trace
is "$(variance --format csv broken.trace | column function n mean | sort | xargs)" 'f,2,3.5' 'only finished calls are instances'
like err '1 exits had no entry' '  an exit without an entry is told'
is "$(variance broken.trace | grep -c '2 calls had no end of their own')" 1 '  and so are calls without an end'

# Runs: the interval is over them
for run in 1 2 3; do
    awk -v run=$run 'BEGIN { now = 0; for (i = 0; i < 10; i++) { print "enter", "t", now, "f"; now += 50 + (i % 2 ? run : -run) * 10
        print "exit", "t", now, "f" } }' | "$make_trace" run$run.trace series=s run=$run clock=random
done
# 0.2, 0.4, 0.6 times √(10/9): mean 0.421637, and t(2) = 4.302653 times 0.2·√(10/9)/√3
is "$(variance --format csv run?.trace | column n cv cv_lo cv_hi | rounded)" '30,0.421637,0,0.945339' \
    'several runs: their mean, and its interval over them'

# The same bytes, however it is computed
"$build/tests/make_events" long.trace 20000 12 4 2>/dev/null || CHUNK=500 "$build/tests/make_events" long.trace 20000 12 4
variance -j 1 --format csv long.trace known.trace >one
variance -j 4 --format csv known.trace long.trace >four
is "$(cmp one four && wc -l <one)" "$(wc -l <four)" '-j 1 and -j 4, and any order: the same bytes'
for way in '' --contexts '--explain m1' '--instances growing' '--correlate growing'; do
    # shellcheck disable=SC2086
    {
        variance $way --format csv long.trace known.trace >whole
        variance $way --save-state a.state long.trace
        variance $way --save-state b.state known.trace
        variance $way --format csv a.state b.state >parts
    }
    is "$(cmp whole parts && echo same)" same "partial states${way:+ with $way}: the same bytes"
done

# More contexts than are told apart
"$build/tests/make_events" deep.trace 200000 12
limit=2000000
sh -c "ulimit -v $limit; exec '$programs/assay-variance' --version" >out 2>err || limit=unlimited # a sanitizer needs more
sh -c "ulimit -v $limit; exec '$programs/assay-variance' -j 1 --contexts --format csv deep.trace" >out 2>err
is $? 0 'hundreds of thousands of contexts'
is "$(($(wc -l <out) < 140000))" 1 '  those beyond the first 65536 are taken together'
like err 'instances are in contexts beyond the first 65536' '  a warning counts their instances'
is "$(column metric n <out | awk -F, '$1 == "time_ns" { n += $2 } END { print n }')" 200000 '  none is lost'
sh -c "ulimit -t 20; exec '$programs/assay-variance' --explain 'p.m1()' --format csv deep.trace" >out 2>err
is "$? $(($(wc -l <out) > 100000))" '0 1' '  --explain has a tree of them'

# r calls itself 200 times, and then leaf; wide calls f0, which calls f1, up to f199
awk 'BEGIN {
    for (i = 0; i < 4; i++) {
        for (d = 0; d < 200; d++) print "enter t", now++, "r"
        print "enter t", now, "leaf"; now += i % 2 ? 90 : 10; print "exit t", now, "leaf"
        for (d = 0; d < 200; d++) print "exit t", ++now, "r"
        for (d = 0; d < 200; d++) print "enter t", now++, "f" d
        for (d = 200; d-- > 0;) print "exit t", ++now, "f" d
    }
}' | "$make_trace" recursion.trace
variance --contexts --format csv recursion.trace >out
is "$(column function context n <out | grep -e '^leaf,' -e '^r,' -e '^f1,' -e '^f128,' | sort | xargs)" \
    'f1,f0,4 f128,(other contexts),4 leaf,r,4 r,,800' 'contexts: calls that a function makes of itself do not make them deep'
like err '288 of 1604 instances are in contexts beyond the first 65536 or of more than 128 functions' \
    '  a warning counts instances in deep ones'
variance --explain r --format csv recursion.trace >out
is "$(column function mean share_of_variance <out | rounded | xargs)" 'r,450,1 (itself),400,0 leaf,50,1' \
    '  --explain: what is called from deep inside is not the function itself'

for option in metric share-of; do
    variance --$option none --format csv known.trace >out
    is "$? $(grep -c -e "--$option none: there is no such metric" err)" '1 1' "--$option: a metric that is not recorded is an error"
done

variance --contexts --format csv a.state >out
is "$? $(cat err)" '1 assay-variance: a.state: was saved with other options that choose what is gathered; use the same' \
    'a state that was saved with other options is refused'
variance --instances growing --save-state instances.state known.trace
python3 -c '
import json
state = json.load(open("instances.state"))
for row in range(100): # also where the array of instances has to grow
    damaged = json.loads(json.dumps(state))
    damaged["state"]["instances"][row][1] = 1000000
    json.dump(damaged, open(f"damaged.{row}", "w"))'
for damaged in damaged.*; do
    variance --instances growing "$damaged" >out || cat err
done | sort | uniq -c | awk '{ n += $1 } /the saved state is damaged/ { bad += $NF == "damaged" } END { print n, bad }' >said
is "$(cat said)" '100 100' 'a state whose instance is in no context is refused'
python3 -c '
import json
state = json.load(open("instances.state"))
for case, (relation, field, value) in enumerate([
        ("cells", 3, [-1, 1, 1, 1, 1, 1, 1]), ("cells", 3, [2, 0, 1, 1, 1, 1, 1]), ("cells", 3, [2, 1, 1, 1, -1, 1, 1]),
        ("cells", 3, [2, 1, 1, 1, 1, 1]), ("cells", 3, 0), ("nodes", 2, 2), ("runs", 3, None)]):
    damaged = json.loads(json.dumps(state))
    damaged["state"][relation][0][field] = value
    json.dump(damaged, open(f"damaged.{case}", "w"))
del state["state"]["wish"]
json.dump(state, open("damaged.7", "w"))'
is "$(for case in 0 1 2 3 4 5 6 7; do variance --instances growing damaged.$case >out; grep -c 'is damaged' err; done | xargs)" \
    '1 1 1 1 1 1 1 1' '  and so are others with numbers that cannot be'
printf 'enter t 0 \377a\nexit t 5 \377a\nenter t 6 \377b\nexit t 9 \377b\n' | "$make_trace" bytes.trace
variance --format csv bytes.trace >whole
variance --save-state bytes.state bytes.trace
variance --format csv bytes.state >parts
is "$(cmp whole parts && wc -l <parts)" 3 'names that are not UTF-8 survive a saved state'
for cut in 1000 3000 5000; do
    head -c $cut a.state >cut.state
    variance cut.state >out
    is $? 1 "a state cut after $cut bytes: status 1"
done

# What instances go with. growing takes 1 more each time, so r = 1 with the previous instance, and nearly so with the time,
# which passes the faster the more it takes. f takes 10 and 3 for each page fault: r = 1 with that counter.
variance --correlate growing --format csv known.trace >out
is "$(column factor n <out | xargs)" 'previous instance,99 when it began,100' 'correlations: time, and the previous instance'
is "$(column r <out | awk '{ print ($1 > (NR == 1 ? 0.999999 : 0.98) && $1 <= 1) }' | xargs)" '1 1' '  of what grows steadily'
variance --correlate steady --format csv known.trace >out
is "$? $(grep -c "no instances of 'steady' that vary" err)" '1 1' '  a constant has none: status 1'
awk 'BEGIN { for (i = 0; i < 20; i++) { faults = i * 7 % 20; print "enter t", i * 1000, "f", sum; sum += faults
    print "exit t", i * 1000 + 10 + 3 * faults, "f", sum } }' | "$make_trace" faults.trace 'counters=["page-faults"]'
variance --correlate f --metric time_ns --format csv faults.trace >out
is "$(column factor r <out | rounded | grep page)" 'page-faults,1' '  page faults'
# Of 0 to 19 Σ(i − 9.5)² = 665, in any order.
is "$(column factor r <out | rounded | grep began)" "when it began,$(python3 -c '
f = [i * 7 % 20 for i in range(20)]
print("%.6g" % (sum((i - 9.5) * (f[i] - 9.5) for i in range(20)) / 665))')" '  when it began, which does not say much'
# 3,000 instances, one each 10 ms, which take 100 + 50 sin(2 pi t / 0.4 s) us: the sinusoid explains all of it. A sample
# of them is looked at, the same one whatever the order.
awk 'BEGIN { for (i = 0; i < 3000; i++) { t = i * 10000000; printf "enter t %.0f f\n", t
    printf "exit t %.0f f\n", t + 100000 + int(50000 * sin(2 * 3.14159265358979 * i / 40)) } }' | "$make_trace" period.trace
variance --correlate f --metric time_ns --format csv period.trace >out
is "$(column factor r n <out | awk -F, '/period/ { print $1, ($2 > 0.999 && $2 <= 1), $3 }')" 'period of 0.4 s 1 3000' '  a period'
variance --correlate f --metric time_ns period.trace >out
like out 'by chance one would explain as much with a probability of at most' '  with the chance of one'
variance --correlate f --metric time_ns --format csv known.trace faults.trace period.trace >one
variance -j 4 --correlate f --metric time_ns --format csv period.trace faults.trace known.trace >two
cmp -s one two
ok $? '  the same in another order of files'
awk 'BEGIN { for (i = 0; i < 20000; i++) { s = (s * 16807 + 11) % 2147483647; t = i * 10000000; printf "enter t %.0f f\n", t
    printf "exit t %.0f f\n", t + 1000 + s % 1000 } }' | "$make_trace" random.trace
variance --correlate f --metric time_ns --format csv random.trace >out
is "$(column factor <out | grep -c period)" 0 '  none where there is none'
variance --correlate f --metric none faults.trace >out
is $? 1 '  a metric that is not there: status 1'

# Calls that were chosen. f: 10 and 30, of which the first stands for 3 calls: mean 15, and with the weights 3 and 1
# sd² = Σw(x−x̄)²/(Σw − Σw²/Σw) = (3·25 + 225)/(4 − 10/4) = 200. g in two contexts: 5 for 2 calls and 8, so mean 6 and
# sd² = (2·1 + 4)/(3 − 5/3) = 4.5. h was left; one call is open.
cat >chosen <<'END'
instance call main 1000 1 3000 0 0 main;f
instance return main 1500 1 0 10 9
instance call main 2000 2 1000 0 0 main;f
instance call main 2100 3 2000 0 0 main;f;g
instance return main 2200 3 0 5 4
instance return main 2500 2 0 30 28
instance call main 3000 4 1000 0 0 main;g
instance return main 3100 4 0 8 7
instance call main 4000 5 1000 0 0 main;h
instance left main 4100 5 0 0 0
instance no-call main 4200 0 0 0 0
instance call main 5000 6 1000 0 0 main;f
END
# Of four samples f is on the stack in three, and recursion counts once.
printf 'main 0 %d 10 main;f\nmain 1 %d 20 main;f;g\nmain 2 %d 30 main\nmain 3 %d 40 main;f;f\n' 1100 2150 2600 2700 >>chosen
"$make_trace" chosen.trace mode=calls start_monotonic_ns=500 'counters=["thread-cpu-ns"]' <chosen
variance --format csv chosen.trace >out
is $? 0 'chosen calls: status 0'
is "$(column function metric n mean sd share <out | rounded | sort | xargs)" \
    'f,thread-cpu-ns,2,13.75,13.435,0.75 f,time_ns,2,15,14.1421,0.75 g,thread-cpu-ns,2,5,2.12132,0.25 g,time_ns,2,6,2.12132,0.25' \
    '  weights count in mean and sd; shares are those of the samples'
is "$(variance --unweighted --format csv chosen.trace | column function metric mean | rounded | sort | xargs)" \
    'f,thread-cpu-ns,18.5 f,time_ns,20 g,thread-cpu-ns,5.5 g,time_ns,6.5' '  --unweighted'
is "$(variance --contexts --format csv chosen.trace | column function context metric mean | grep time_ns | sort | xargs)" \
    'f,main,time_ns,15 g,main > f,time_ns,5 g,main,time_ns,8' '  contexts'
is "$(variance --instances f --format csv chosen.trace | sed 1d | cut -d, -f 2-3,5- | xargs)" '5e-07,3,10,9 1.5e-06,1,30,28' \
    '  single ones, from the start of the recording'
variance chosen.trace >out
is "$(grep -c -e '6 calls were chosen at random: 4 returned, 1 were left' -e '1 more searches chose no call: 1 were too costly' \
    -e '1 calls had no end of their own' out)" 3 '  every one is accounted for'
variance --save-state chosen.state chosen.trace
variance --format csv chosen.trace >whole
is "$(variance --format csv chosen.state | cmp - whole && variance chosen.state | cmp - out && echo same)" same '  a saved state'
# A trap's cost was 18, 22, 18, 22 when 20 was subtracted, so it is known to 2; that is in a class of 2 to 2·2^(1/8),
# whose middle is 2.08855. The variance of 10 and 20 in turn is 100/3; without 2.08855² the root is 5.38250, of 15 35.8833 %.
awk 'BEGIN { for (i = 1; i <= 4; i++) { print "instance subtracted t", i * 100, 0, 0, 20, 0
    print "instance cost t", i * 100 + 1, 0, 0, 20 + (i % 2 ? -2 : 2), 0
    print "instance call t", i * 100 + 2, i, 1000, 0, 0, "f"; print "instance return t", i * 100 + 50, i, 0, 10 + i % 2 * 10, 0 } }' |
    "$make_trace" noise.trace mode=calls
is "$(variance --format csv noise.trace | column function n mean sd cv | rounded)" 'f,4,15,5.3825,0.358833' \
    "the variance of the recorder's own cost is subtracted"
is "$(variance noise.trace | grep -c 'known to 0.0021 us')" 1 '  and told'
awk 'BEGIN { print "instance subtracted t 1 0 0 20 0"; print "instance cost t 2 0 0 22 0"; for (i = 1; i <= 3; i++) {
    print "instance call t", i * 100, i, 1000, 0, 0, i == 1 ? "one" : "two"; print "instance return t", i * 100 + 50, i, 0, 10 + i * 10, 0 } }' |
    "$make_trace" few.trace mode=calls
is "$(variance --format csv few.trace | column function n cv cv_lo cv_hi | rounded | xargs)" 'one,1,,, two,2,0.193017,,' \
    '  where too few instances have no interval, nothing is subtracted from it'
awk 'BEGIN { print "instance subtracted t 1 0 0 20 0"; for (i = 1; i <= 9; i++) { print "instance cost t", i * 100 + 1, 0, 0, 20 + (i % 2 ? -6 : 6), 0
    print "instance call t", i * 100 + 2, i, 1000, 0, 0, "f"; print "instance return t", i * 100 + 50, i, 0, 10 + i % 2 * 10, 0 } }' |
    "$make_trace" noisy.trace mode=calls
variance noisy.trace >out
like err "f: a quarter or more of the variance was that of the recorder" '  a warning where it is much'
# Records that don't fit each other: an end without a call, calls without an end, a bad context
awk 'BEGIN { print "instance return t 5 99 0 7 0"; for (i = 1; i <= 100; i++) print "instance call t", 10 + i, i, 1000, 0, 0, "f"
    print "instance return t 500 100 0 7 0"; print "instance call t 600 101 1000 0 0"; print "instance return t 700 101 0 7 0" }' | "$make_trace" odd.trace mode=calls
is "$(variance --format csv odd.trace | column function n mean)" 'f,1,7' 'ends without a call, calls without an end'
like err '1 exits had no entry' '  are told'

# Engine exact: a hundred calls of f within each other take 100, 99, … of the thread's 400; the last total counts.
awk 'BEGIN { for (i = 1; i <= 100; i++) print "instance call t", i, i, 1000, 0, 0, "main;f"
    print "instance total t 150 0 0 140 50"
    for (i = 100; i >= 1; i--) print "instance return t", 300 - i, i, 0, 300 - 2 * i, 101 - i
    print "instance total t 400 0 0 390 400" }' >every
"$make_trace" every.trace mode=calls 'calls={"engine":"exact"}' 'counters=["simulated-instructions"]' <every
is "$(variance --format csv every.trace | column function metric n mean share | rounded)" 'f,simulated-instructions,100,50.5,0.25' \
    'every call, by engine exact: counters, no time under Valgrind; the share of outermost calls'
is "$(variance every.trace | grep -c '100 calls were recorded: 100 returned')" 1 '  a note tells that these are all'
variance --save-state every.state every.trace
is "$(variance --format csv every.state)" "$(variance --format csv every.trace)" '  the same from a saved state'

printf 'instance call t 1 1 1000 0 0 f\ninstance return t 2 1 0 5 0\n' |
    "$make_trace" bare.trace mode=calls 'calls={"engine":"exact"}'
variance --format csv bare.trace >out
is "$? $(wc -l <out)" '0 1' 'every call without a counter: there is nothing to show'

printf 'main 0 1000 10 a;b\n' | "$make_trace" samples.trace
variance samples.trace >out
is $? 1 'samples alone: status 1'
like err 'no calls: record them' '  one line tells how to record them'
done_testing
