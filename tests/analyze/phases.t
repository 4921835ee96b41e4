#!/bin/sh
# assay phases: Figure 3 of the paper, statistics compared with exact arithmetic, planted phases, runs, threads, probes,
# events that do not nest; and the same bytes for any -j, any order and any split into partial states.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_trace tests/make_events
programs=$build/libexec/assay
make_trace=$build/tests/make_trace
phases() {
    "$programs/assay-phases" "$@" 2>err
}
# column NAME...: of the CSV on standard input, which has no commas in cells, without the header
column() {
    awk -F, -v OFS=, -v names="$*" 'NR == 1 { n = split(names, want, " "); for (i = 1; i <= NF; i++) at[$i] = i; next }
        { line = ""; for (i = 1; i <= n; i++) line = line (i > 1 ? "," : "") (want[i] in at ? $at[want[i]] : "no " want[i])
          print line }'
}
summary() {
    sed -n "s/.*\"$1\": \([^,}]*\).*/\1/p"
}

# --- Figure 3. Calls, time per call and total as printed there, except for readData: its total is printed as 300 for
# one call of 200; with 300 the parts of main would add up to 1830 of 1800, so it is 200 here.
cat >figure3.awk <<'END'
function event(what, method) { print what, "main", now, method }
function leaf(method, time, times) { while (times-- > 0) { event("enter", method); now += time; event("exit", method) } }
BEGIN {
    now = 0
    event("enter", "main"); now += 70
    leaf("init", 30, 1)
    event("enter", "readData"); leaf("readElement", 4, 50); event("exit", "readData")
    leaf("print", 30, 1)
    event("enter", "sortData"); now += 200; leaf("compare", 2, 300); leaf("swap", 2, 250); event("exit", "sortData")
    event("enter", "printData"); now += 20; leaf("printElement", 3, 50); event("exit", "printData")
    event("exit", "main")
}
END
awk -f figure3.awk | "$make_trace" figure3.trace
phases --percentiles --format csv figure3.trace >out
is $? 0 'Figure 3: status 0'
is "$(column method mean_ns calls <out | sort)" 'compare,2,300
init,30,1
main,1800,1
print,30,1
printData,170,1
printElement,3,50
readData,200,1
readElement,4,50
sortData,1300,1
swap,2,250' 'Figure 3: time per call and number of calls of all methods'
is "$(phases --totals --format csv figure3.trace | column method total exclusive_total | sort)" 'compare,600,600
init,30,30
main,1800,70
print,30,30
printData,170,20
printElement,150,150
readData,200,0
readElement,200,200
sortData,1300,200
swap,500,500' 'Figure 3: inclusive and exclusive total times'
phases --weight 10% --grain 5% --select chosen --format json figure3.trace >out
is "$(cat chosen)" "$(printf 'main\nsortData\nreadData')" 'Figure 3: 10 % and 5 % select main, readData and sortData; --select writes them'
is "$(summary phases <out),$(summary invocations <out | head -n 1),$(summary theta_weight <out),$(summary theta_grain <out)" \
    3,3,0.1,0.05 'the summary: thresholds, phases, invocations'
between 0.00457317073170731 "$(summary estimated_overhead <out)" 0.00457317073170732 'estimated overhead: 3 of 656 calls'
is "$(phases --weight 180/1800 figure3.trace 2>&1; echo $?)" 2 \
    'a share that is neither a number nor a percentage: status 2'
is "$(phases --weight 0.1 --grain 0.05 --format csv figure3.trace | column phase total_share mean_share n mean)" \
    'main,1,1,1,1800
sortData,0.7222222222222222,0.7222222222222222,1,1300
readData,0.1111111111111111,0.1111111111111111,1,200' 'shares of the program, in total and per call'
phases --weight 0.1111111111111111 --grain 0 --format csv figure3.trace >out
is "$(column phase <out | sort -u | tr '\n' ' ')" 'compare main sortData swap ' 'a share that is equal to the threshold is not above it'
phases --plane --format csv figure3.trace >out
is "$(grep -c . out) $(grep '^0.1,0.05,' out | cut -d, -f3,4) $(grep '^1e-08,1e-08,' out | cut -d, -f3,4)" '577 3,3 10,656' \
    '--plane: all pairs of thresholds'
phases --auto 1% --format json figure3.trace >out
is "$(summary phases <out) $(summary invocations <out | head -n 1)" '6 6' \
    '--auto 1%: the six methods with one call each, 0.91 % of the calls'
phases --auto 0.1% figure3.trace >out
like out 'no thresholds with a phase have an estimated overhead below 0.1 %' \
    '--auto 0.1%: a warning that no thresholds meet this overhead'

# --- the figure's axis names the metric, also after the totals are freed
if command -v gnuplot >/dev/null; then
    printf '%s\n' 'enter t 0 main' 'enter t 10 f' 'exit t 20 f' 'enter t 30 f' 'exit t 60 f' 'exit t 70 main' |
        "$make_trace" two.trace
    phases --weight 0 --grain 0 --boxes time_ns --plot boxes.svg two.trace >/dev/null
    is "$? $(grep -c '>time_ns<' boxes.svg)" '0 1' '--boxes --plot: the figure names its metric'
else
    skip 'no gnuplot'
fi

# --- recursion: f calls f calls f, 1 + 2 + 4 + 2 + 1 ns
"$make_trace" recursion.trace <<'END'
enter t 0 f
enter t 1 f
enter t 3 f
exit t 7 f
exit t 9 f
exit t 10 f
END
is "$(phases --totals --format csv recursion.trace | column method calls total_share total exclusive_total)" f,3,1,10,10 \
    'of recursive calls only the outermost counts in totals'
is "$(phases --percentiles --format csv recursion.trace | column calls mean_ns max_ns p50_ns)" 3,7.333333333333333,10,8 \
    '  each one counts in lengths'

# --- lengths whose squares overflow 64 bits, against exact rational arithmetic
cat >lengths.py <<'END'
from fractions import Fraction
from decimal import Decimal, getcontext
import sys
getcontext().prec = 60
state, lengths = 12345, []
for i in range(700):
    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    lengths.append(4300000000 + state % (9 * 10**12) if i % 7 else state % 1000)
if sys.argv[1] == 'events':
    now = 10**15
    for length in lengths:
        print('enter t', now, 'f'); now += length; print('exit t', now, 'f'); now += 5
    sys.exit()
n = len(lengths)
mean = Fraction(sum(lengths), n)
var = sum((x - mean) ** 2 for x in lengths) / (n - 1)
sd = (Decimal(var.numerator) / Decimal(var.denominator)).sqrt()
mean = Decimal(mean.numerator) / Decimal(mean.denominator)
lengths.sort()
def quantile(p):
    rank = (n - 1) * Fraction(p)
    low = int(rank)
    high = min(low + 1, n - 1)
    return Decimal(lengths[low]) + (lengths[high] - lengths[low]) * Decimal((rank - low).numerator) / Decimal((rank - low).denominator)
expected = [mean, sd, sd / mean, quantile(Fraction(1, 2)), quantile(Fraction(9, 10)), quantile(Fraction(99, 100)), Decimal(lengths[-1])]
got = sys.argv[2].split(',')
worst = max(abs(Decimal(g) / e - 1) for g, e in zip(got, expected))
print('good' if worst < Decimal('1e-15') and len(got) == len(expected) else (worst, got, expected))
END
python3 lengths.py events | "$make_trace" lengths.trace
is "$(python3 lengths.py check "$(phases --percentiles --format csv lengths.trace | column mean_ns sd_ns cv p50_ns p90_ns p99_ns max_ns)")" \
    good 'mean, sd, cv and percentiles of long calls to 15 digits'

# --- three planted phases in five runs: lengths 50000, 20000 and 90000 ns, 40, 400 and 10 misses in 1000 instructions
cat >planted.py <<'END'
import random, sys
random.seed(int(sys.argv[1]))
now, instructions, misses = 1000, 0, 0
def event(what, method):
    print(what, 'main', now, method, instructions, misses)
def spend(ns, count, missed):
    global now, instructions, misses
    now += ns; instructions += count; misses += missed
event('enter', 'main')
for i in range(60):
    for method, length, rate in (('read', 50000, 40), ('work', 20000, 400), ('write', 90000, 10)):
        spend(100, 10, 0)
        event('enter', method)
        count = round(random.gauss(20000, 500))
        spend(round(random.gauss(length, length / 20)), count, round(count * random.gauss(rate, rate / 30) / 1000))
        event('exit', method)
        for j in range(3):
            event('enter', 'small'); spend(7, 3, 0); event('exit', 'small')
event('exit', 'main')
END
run=1
while [ $run -le 5 ]; do
    python3 planted.py $run | "$make_trace" "planted$run.trace" series=p run=$run 'counters=["instructions","misses"]'
    run=$((run + 1))
done
phases --weight 5% --grain 0.1% --format csv planted?.trace >out
is "$(column phase <out | uniq | tr '\n' ' ')" 'main write read work ' 'planted phases are found'
is "$(column metric <out | sort -u | tr '\n' ' ')" 'instructions misses misses/instruction time_ns time_ns/instruction ' \
    'metrics: time, counters, and rates per instruction'
for case in read,time_ns,50000 work,time_ns,20000 write,time_ns,90000 read,misses/instruction,0.04 \
    work,misses/instruction,0.4 write,misses/instruction,0.01; do
    row=$(column phase metric lo hi n <out | grep "^${case%,*},")
    between "$(echo "$row" | cut -d, -f3)" "${case##*,}" "$(echo "$row" | cut -d, -f4)" \
        "the interval contains the planted value: $case"
done
is "$(column phase metric calls n <out | grep '^read,misses,')" read,misses,300,300 'calls of all runs are pooled'

# --- analysis of variance, against the definitions in exact arithmetic
cat >anova.py <<'END'
from decimal import Decimal, getcontext
import sys
getcontext().prec = 50
groups, opened = {}, []
for line in sys.stdin:
    what, thread, time, method = line.split()[:4]
    if what == 'enter':
        opened.append(int(time))
    else:
        groups.setdefault(method, []).append(Decimal(int(time) - opened.pop()))
groups = [groups[m] for m in ('read', 'work', 'write')]
k, n = len(groups), sum(map(len, groups))
means = [sum(g) / len(g) for g in groups]
grand = sum(map(sum, groups)) / n
between = sum(len(g) * (m - grand) ** 2 for g, m in zip(groups, means))
devs = [sum((x - m) ** 2 for x in g) for g, m in zip(groups, means)]
within = sum(devs)
f = (between / (k - 1)) / (within / (n - k))
weights = [len(g) / (d / (len(g) - 1)) for g, d in zip(groups, devs)]
centre = sum(w * m for w, m in zip(weights, means)) / sum(weights)
spare = sum((1 - w / sum(weights)) ** 2 / (len(g) - 1) for w, g in zip(weights, groups))
welch = (sum(w * (m - centre) ** 2 for w, m in zip(weights, means)) / (k - 1)) / (1 + Decimal(2) * (k - 2) / (k * k - 1) * spare)
ordered = sorted(x for g in groups for x in g)
first, last = {}, {}
for i, x in enumerate(ordered):
    first.setdefault(x, i + 1); last[x] = i + 1
rank = {x: Decimal(first[x] + last[x]) / 2 for x in first}
ties = sum((last[x] - first[x] + 1) ** 3 - (last[x] - first[x] + 1) for x in first)
h = 12 / (Decimal(n) * (n + 1)) * sum(len(g) * (sum(rank[x] for x in g) / len(g) - Decimal(n + 1) / 2) ** 2 for g in groups)
h /= 1 - Decimal(ties) / (Decimal(n) ** 3 - n)
expected = [f, Decimal(k - 1), Decimal(n - k), between / (between + within),
            (between - (k - 1) * within / (n - k)) / (between + within + within / (n - k)), welch,
            Decimal(k * k - 1) / (3 * spare), h]
got = sys.argv[1].split(',')
worst = max(abs(Decimal(g) / e - 1) for g, e in zip(got, expected))
print('good' if worst < Decimal('1e-14') and len(got) == len(expected) else (worst, got, expected))
END
python3 planted.py 1 | grep -v -e main$ -e small -e 'main [0-9]* main' >calls
{ echo 'enter main 0 main 0 0'; cat calls; echo 'exit main 99999999 main 99999999 0'; } |
    "$make_trace" calls.trace 'counters=["instructions","misses"]'
phases --anova --weight 0.5% --grain 0.01% --format csv calls.trace >out
phases --anova --weight 0.5% --grain 0.01% --share-of instructions --format csv calls.trace >other
is "$(column metric phases <out | head -n 1)" time_ns,4 'the analysis of variance is over all phases, including main'
"$make_trace" three.trace <calls
phases --anova --weight 5% --grain 0.01% --format csv three.trace >out
is "$(python3 anova.py "$(column f dof_between dof_within eta2 omega2 welch_f welch_dof kruskal_h <out)" <calls)" good \
    'F, eta2, omega2, Welch and Kruskal-Wallis to 14 digits'
between -400 "$(column log10_p <out)" -100 '  log10_p of a tiny p'
phases --anova --weight 5% --grain 0.01% --format json three.trace >out
is "$(summary max_p_metric <out)" '"time_ns"' '  the summary names the metric with the largest p, as in Table 4'

# --- overall CoV: two phases, one of 40 ns with CoV 0.5·√2 and one of 60 ns with CoV 0: weighted by time 0.4·0.7071
"$make_trace" cov.trace <<'END'
enter t 0 a
exit t 10 a
enter t 10 a
exit t 40 a
enter t 40 b
exit t 70 b
enter t 70 b
exit t 100 b
END
phases --weight 0 --grain 0 --format json cov.trace >out
between 0.282842712474618 "$(sed -n 's/.*"overall_cov": {"time_ns": \([0-9.]*\).*/\1/p' out)" 0.282842712474620 \
    "overall CoV: the phases' CoVs weighted by time"

# --- threads, their roles and CPU time; two runs
for run in 1 2; do
    "$make_trace" "vm$run.trace" series=vm run=$run 'counters=["thread-cpu-ns"]' <<END
role app java 0 $((600 + run * 100))
role gc gc 50 $((350 - run * 100))
role jit jit 0 50
enter app 0 main 0
exit app 1000 main 700
END
done
phases --components --format csv vm?.trace >out
is "$(column component metric share <out | grep thread-cpu)" 'application,thread-cpu-ns,0.7894736842105263
garbage collector,thread-cpu-ns,0.15789473684210525
finalizer,thread-cpu-ns,0
C1 compiler,thread-cpu-ns,0
C2 compiler,thread-cpu-ns,0
other compiler,thread-cpu-ns,0.05263157894736842
other VM,thread-cpu-ns,0' \
    'components: shares of CPU time by role: means of 14/19 and 16/19, of 4/19 and 2/19, and 1/19; each role once'
"$make_trace" tiers.trace 'counters=["thread-cpu-ns"]' <<'END'
role app java 0 500
role Finalizer java 0 200
role jit jit 0 100
enter app 0 main 0
exit app 1000 main 500
END
phases --components --format csv tiers.trace >out
is "$(column component metric share <out | grep thread-cpu | grep -E 'application|finalizer')" 'application,thread-cpu-ns,0.625
finalizer,thread-cpu-ns,0.25' '  the finalizer is recognized by its name'
# collecting NAME COLLECTIONS_NS ROLE: a program of 600 ns of CPU time whose VM thread has 300 of CPU time, and another
# thread of ROLE 100; two collections took COLLECTIONS_NS each, as if in 1,000 ns of elapsed time.
collecting() {
    "$make_trace" "$1.trace" series="$1" run=1 'counters=["wall-ns","thread-cpu-ns"]' gc_counters=true <<END
role app java 0 600
role VM_Thread vm 0 300
role [collections] gc 0 0
role other $3 0 100
enter app 0 main 0 0
exit app 5000 main 5000 600
gc app 1000 1000 1000 $2
gc app 3000 1000 1000 $2
END
}
# gc_and_vm NAME: the shares of the collector and the rest of the VM of 1,000 ns of CPU time, in ns
gc_and_vm() {
    phases --components --format csv "$1.trace" |
        awk -F, '$2 == "thread-cpu-ns" && ($1 == "garbage collector" || $1 == "other VM") { printf "%s %.0f ", $1, 1000 * $3 }'
}
collecting serial 120 native
is "$(gc_and_vm serial)" 'garbage collector 240 other VM 60 ' \
    'components: the CPU time of collections in the VM thread is the garbage collector'"'"'s'
collecting excess 400 native
is "$(gc_and_vm excess)" 'garbage collector 300 other VM 0 ' '  but never more than the VM thread has'
collecting threads 120 gc
is "$(gc_and_vm threads)" 'garbage collector 100 other VM 300 ' "  with threads of the collector, it is theirs"
is "$(phases --totals --format json vm?.trace | summary share_of)" '"thread-cpu-ns"' \
    'shares are of CPU time where that is known'
is "$(phases --totals --share-of time_ns --format csv vm?.trace | column total)" 2000 '--share-of time_ns: elapsed time'

# --- what probes cost: 10 ns per pair, 4 of them inside the call
"$make_trace" probed.trace 'probe={"enter_ns": 6, "exit_ns": 4, "pair_ns": 10, "lo_ns": 9.5, "hi_ns": 10.5}' <<'END'
enter t 0 main
enter t 100 f
exit t 154 f
enter t 200 f
exit t 203 f
exit t 524 main
END
is "$(phases --percentiles --format csv probed.trace | column method mean_ns max_ns)" 'main,500,500
f,25,50' 'times exclude probes, and are never below 0'
is "$(phases --totals --format csv probed.trace | column method total exclusive_total)" 'main,500,451
f,49,49' '  so do totals'
phases --weight 0 --grain 0 probed.trace >out
like out 'times exclude the 10 ns \[9.5, 10.5\] that probes cost per call' \
    '  a note reports what is subtracted, with its interval'
like out '1 calls took less than their probes cost' '  a note counts calls that took less'
# two long calls, 10 ns of 10,020 each: below 1 % of the time, but all of the calls
"$make_trace" twice.trace 'probe={"enter_ns": 6, "exit_ns": 4, "pair_ns": 10, "lo_ns": 9.5, "hi_ns": 10.5}' <<'END'
enter t 0 main
enter t 10 f
exit t 5010 f
exit t 10020 main
END
phases --auto 1% --format json twice.trace >out
is "$(summary phases <out) $(summary estimated_overhead <out) $(summary estimated_time_overhead <out)" '2 1.0 0.002' \
    '--auto: with too few calls, phases are chosen by the time of their probes'
phases --auto 1% twice.trace >out
like out 'phases are chosen by time, of which their probes take 0.2 %' '  a note reports it'
phases --auto 0.1% twice.trace >out
like out 'no thresholds with a phase have an estimated overhead below 0.1 %' \
    '  a warning if that is above the limit, too'
# 8 bytes in 100 - 10 ns and 3 in 19 - 10 ns: 9 ns is less than the probes took, so it can't be a divisor
"$make_trace" rates.trace 'counters=["bytes"]' 'probe={"enter_ns": 0, "exit_ns": 10, "pair_ns": 10}' <<'END'
enter t 0 f 0
exit t 100 f 8
enter t 200 f 8
exit t 219 f 11
END
is "$(phases --weight 0 --grain 0 --format csv rates.trace | column metric n mean)" 'time_ns,2,49.5
bytes,2,5.5
bytes/s,1,88888888.8888889' 'a call that took less than its probes has no rate per second'

# --- what probes count: 30 instructions per pair, 12 of them inside the call; possibly no page faults
"$make_trace" counted.trace 'counters=["instructions","page-faults"]' 'probe={"exit_ns": 4, "pair_ns": 10, "lo_ns": 9.5,
    "hi_ns": 10.5, "counters": [{"pair": 30, "exit": 12, "lo": 29, "hi": 31}, {"pair": 0.1, "exit": 0, "lo": -0.1, "hi": 0.3}]}' <<'END'
enter t 0 main 0 0
enter t 100 f 1000 0
exit t 154 f 1112 1
exit t 524 main 2000 1
END
is "$(phases --weight 0 --grain 0 --format csv counted.trace | column phase metric mean | grep -v /)" 'main,time_ns,510
main,instructions,1958
main,page-faults,1
f,time_ns,50
f,instructions,100
f,page-faults,1' \
    'counters exclude what probes count, where that is significantly above 0'
is "$(phases --totals --share-of instructions --format csv counted.trace | column method total exclusive_total)" 'main,1958,1858
f,100,100' '  so do totals'
phases --weight 0 --grain 0 counted.trace >out
like out '^instructions: 30 \[29, 31\] is subtracted from each call for what its probes count' \
    '  a note reports what is subtracted, with its interval'
unlike out 'page-faults: .* is subtracted' '  but nothing about a counter that is unchanged'
"$make_trace" few.trace 'counters=["instructions"]' 'probe={"exit_ns": 0, "pair_ns": 0, "counters": [{"pair": 30, "exit": 30, "lo": 30, "hi": 30}]}' <<'END'
enter t 0 f 0
exit t 100 f 20
enter t 200 f 20
exit t 300 f 1050
END
is "$(phases --weight 0 --grain 0 --format csv few.trace | column metric n mean)" 'time_ns,2,100
instructions,2,500
time_ns/instruction,1,0.1' 'a call that counted less than its probes has no rate per instruction'

# --- probes that cost more than an empty method shows: main calls f twice; 20 ns are subtracted per pair, 10 of them
# from main's own time. In all/ each call of f costs main 30 ns more than what is subtracted; in even/ it does not.
mkdir fewer all even
probe='probe={"exit_ns": 10, "pair_ns": 20, "lo_ns": 19, "hi_ns": 21}'
for run in 1 2 3; do
    "$make_trace" fewer/$run.trace "$probe" series=fewer run=$run <<END
enter t 0 main
exit t $((1010 + run)) main
END
    for set in all:30 even:0; do
        more=${set#*:}
        "$make_trace" "${set%:*}/$run.trace" "$probe" "series=${set%:*}" run=$run <<END
enter t 0 main
enter t 100 f
exit t $((150 + more)) f
enter t 300 f
exit t $((350 + more)) f
exit t $((1050 + 2 * more + run)) main
END
    done
done
is "$(phases --without fewer/ --format csv fewer/*.trace all/*.trace | column method probes probes_without with_ns without_ns ratio verdict sample)" \
    'main,2.5,0.5,1062,1002,1.0598802395209581,slower,runs' \
    '--without: the time with all probes, with fewer, and the ratio'
is "$(phases --without fewer/ --format csv fewer/*.trace even/*.trace | column method with_ns without_ns ratio verdict)" \
    'main,1002,1002,1,same' '  the verdict is same if they take the same time'
# The interval of a pair is 2 ns wide: with 2.5 and 0.5 pairs 3 ns are uncertain, in addition to the t intervals of the
# means.
is "$(phases --without fewer/ --format csv fewer/*.trace even/*.trace | column ratio_lo ratio_hi |
    awk -F, '{ print ($1 < 1 - 3 / 1002 && $1 > 0.99), ($2 > 1 + 3 / 1002 && $2 < 1.01) }')" '1 1' \
        "  the interval of the ratio includes that of the probes' cost"
phases --without nowhere/ all/*.trace >out 2>err
is "$? $(grep -c 'no events in traces with fewer probes' err)" '1 1' '  no such traces: status 1 and one line'

# Runs without any probes have samples, and the recorder's data on the end of the command. 1.2 and 1.4 s of CPU time
# are compared with 1 s.
mkdir none probed
for run in 1 2; do
    printf 't 1 100 100 main\n' | "$make_trace" none/$run.trace series=none run=$run \
        'exit={"wall_ns":2000000000,"user_ns":900000000,"system_ns":100000000}'
    printf 'enter t 0 main\nexit t 3000 main\n' | "$make_trace" probed/$run.trace "$probe" series=probed run=$run \
        "exit={\"wall_ns\":3000000000,\"user_ns\":1$((2 * run))00000000,\"system_ns\":0}"
done
phases --without none/ --format csv none/*.trace probed/*.trace >out
is "$? $(column method probes probes_without with_ns without_ns ratio verdict sample <out)" \
    '0 [program: CPU time],1,0,1300000000,1000000000,1.3,same,runs
[program: wall time],1,0,3000000000,2000000000,1.5,slower,runs' \
    '--without: for a program without probes, its CPU and wall time'
phases --without none/ --format json none/*.trace probed/*.trace >out
between 0.29999999 "$(summary measured_cpu_overhead <out)" 0.30000001 \
    '  the summary has the measured overhead of CPU time'
is "$(summary measured_wall_overhead <out) $(summary measured_wall_lo <out) $(summary rewriting_s <out)" '0.5 0.5 null' \
    '  and of wall time; no time for rewriting'
between 1.999e-8 "$(summary estimated_cpu_overhead <out)" 2.001e-8 '  and the estimate: one pair of 20 ns in 1 s'
phases --without none/ --save-state state none/*.trace probed/*.trace && phases --without none/ --format json state >again
is "$(sed 's/.*"summary"//' again | grep -c measured_cpu)" 1 '  a saved state has it, too'
# A process of run 1, and a whole run, without data from the recorder
for run in 1 3; do
    printf 'enter t 0 main\nexit t 3000 main\n' | "$make_trace" probed/0-$run.trace "$probe" series=probed run=$run
done
phases --without none/ --format json none/*.trace probed/*.trace >out
between 0.29999999 "$(summary measured_cpu_overhead <out)" 0.30000001 '  the time of a run is known if one of its traces has it'
like out '1 run does not show how long the program took, and is not in what was measured' '  runs without a time are reported'

# --- the CPU time that recording takes. Of 1.15 s the recorder's start and rewriting take 0.1 s and its thread 0.05 s,
# which leaves 1 s for the program. With half of the calls, half of the thread's work and all of the start remain.
mkdir priced plain
for run in 1 2; do
    "$make_trace" priced/$run.trace "$probe" series=priced run=$run start_monotonic_ns=1 \
        'exit={"wall_ns":2000000000,"user_ns":1000000000,"system_ns":150000000}' <<'END'
enter t 0 main
enter t 100 f
exit t 150 f
exit t 3000 main
vm t 7 100000000
vm t 8 50000000
role j@jit jit 0 300000000
END
    "$make_trace" plain/$run.trace "$probe" series=plain run=$run start_monotonic_ns=1 \
        'exit={"wall_ns":1000000000,"user_ns":1000000000,"system_ns":0}' <<'END'
enter t 0 main
exit t 3000 main
vm t 7 20000000
vm t 8 10000000
role j@jit jit 0 250000000
END
done
phases --weight 0 --grain 0 --format json priced/*.trace >out
between 0.1499999 "$(summary estimated_cpu_overhead <out)" 0.1500001 \
    'the estimated overhead of CPU time includes the recorder and its start'
between 0.1249999 "$(phases --weight 0 --grain 10% --format json priced/*.trace | summary estimated_cpu_overhead)" 0.1250001 \
    '  the estimate for half of the calls'
phases --weight 0 --grain 0 priced/*.trace >out
like out 'estimated of the program.s CPU time: 15 %, with 4e-08 s per run in probes, 0.05 s in .* and 0.1 s for its start' \
    '  a note gives its parts'
is "$(phases --format json fewer/*.trace | summary estimated_cpu_overhead)" null '  unknown for commands without a recorded time'
# Runs that had a recorder as well: the times of both exclude it.
phases --without plain/ --format json plain/*.trace priced/*.trace >out
between 0.1499999 "$(summary measured_cpu_overhead <out)" 0.1500001 \
    '--without: the measured overhead of 1.15 s compared with 1 s'
between 0.1199999 "$(summary estimated_cpu_overhead <out)" 0.1200001 \
    '  the estimate: 0.08 s for the start and 0.04 s for writing'
between 0.0799999 "$(summary estimated_start_overhead <out)" 0.0800001 '  the part of the start'
between 0.0399999 "$(summary estimated_writer_overhead <out)" 0.0400001 '  the part of writing'
between 0.0499999 "$(summary measured_compilers_overhead <out)" 0.0500001 "  the compilers' part of what was measured"

# --- events that do not nest
"$make_trace" broken.trace <<'END'
enter t 0 main
enter t 10 f
exit t 20 g
exit t 100 main
enter t 110 main
unfinished t 200 main
enter t 210 f
exit-by-exception u 5 f
END
phases --percentiles --format csv broken.trace >out
is "$(column method calls mean_ns unfinished <out)" 'main,2,100,1
f,2,,2
g,0,,0' 'unfinished calls are counted, but not in means'
like err 'events do not nest: 1 exits and 2 enters are missing' 'a line counts the missing exits and enters'
"$build/tests/make_events" long.trace 20000 30 3
head -c 200000 long.trace >cut.trace
phases --totals --format csv cut.trace >out
is "$? $(grep -c . out)" '1 41' 'a cut trace: status 1, and the table of the rest'
dd if=/dev/zero of=long.trace bs=1 seek=30000 count=300 conv=notrunc 2>/dev/null
phases --totals --format csv long.trace >out
is "$? $(grep -c . out)" '1 41' 'a damaged trace: status 1, and the table of the rest'

# --- the same bytes, however the work is divided
i=0
while [ $i -lt 6 ]; do
    python3 planted.py $((10 + i)) | CHUNK=16 "$make_trace" "m$i.trace" series=m run=$((i / 2)) 'counters=["instructions","misses"]'
    i=$((i + 1))
done
for options in '--weight 1% --grain 0.1%' --totals --percentiles --plane --components --bottlenecks; do
    # shellcheck disable=SC2086
    phases $options --format json -j 1 m?.trace >one
    # shellcheck disable=SC2086
    phases $options --format json -j 3 m5.trace m[0-4].trace >many
    [ -s one ] && cmp -s one many
    is $? 0 "-j and another order give the same bytes: phases $options"
    phases --save-state a.state m[0-2].trace
    phases --save-state b.state m[3-5].trace
    "$programs/assay-merge" -o ab.state b.state a.state
    # shellcheck disable=SC2086
    phases $options --format csv m?.trace >one
    # shellcheck disable=SC2086
    phases $options --format csv ab.state >many
    [ -s one ] && cmp -s one many
    is $? 0 "merged partial states give the same bytes: phases $options"
done
printf '%s\n' 'enter t 0 f 0' 'exit t 10 f 8' | "$make_trace" cpu.trace 'counters=["thread-cpu-ns"]'
phases -q --weight 0 --grain 0 --bottlenecks --format csv cpu.trace >out
is "$? $(grep -c . out) $(wc -l <err) $(grep -c 'no counter besides time.* --counters page-faults,context-switches' err)" '1 1 1 1' \
    '--bottlenecks without a counter besides time: status 1 and one line, even with -q'
phases --weight 1 --grain 1 --bottlenecks --format csv m0.trace >out
is "$? $(grep -c . out) $(grep -c 'no counter' err)" '0 1 0' '  no such line where no method is a phase'
phases --anova --save-state a.state m[0-2].trace
phases --anova --save-state b.state m[3-5].trace
phases --anova --weight 1% --grain 0.1% --format csv a.state b.state >many
phases --anova --weight 1% --grain 0.1% --format csv m?.trace >one
[ -s one ] && cmp -s one many
is $? 0 'merged partial states give the same bytes: phases --anova'

# --- histogram, baseline
phases --histogram read --format csv m?.trace >out
is "$(column calls <out | awk '{ n += $1 } END { print n }') $(column cumulative <out | tail -n 1)" '360 1' \
    '--histogram: all calls are in it'
is "$(column from_ns to_ns <out | head -n 1)" '40960,49152' '  a bin is a quarter of a power of two wide'
phases --histogram nothing m0.trace >out
is "$? $(grep -c 'no such method' err)" '1 1' '  an unknown method: status 1 and one line'
for run in 1 2 3; do
    "$make_trace" "old$run.trace" series=old run=$run <<END
enter t 0 f
exit t $((100 + run)) f
END
    "$make_trace" "new$run.trace" series=new run=$run <<END
enter t 0 f
exit t $((200 + 2 * run)) f
END
done
# Welch's t of 202, 204, 206 and 101, 102, 103: t = 102/√(4/3 + 1/3) = 79.0, dof = (5/3)²/((4/3)²/2 + (1/3)²/2) = 2.941
phases --baseline old --format csv old?.trace new?.trace >out
is "$(column phase metric n_old n_new old new ratio difference sample <out)" 'f,time_ns,3,3,102,204,2,102,runs' \
    '--baseline: the means over runs are compared'
# t's 0.975 quantile by numerical integration of the density is 3.218759; the bound is 102 - 3.218759·√(5/3).
between 97.84459 "$(column lo <out)" 97.84461 "  the difference has Welch's interval"
phases --baseline nowhere old?.trace >out
is $? 1 '  no trace of the baseline: status 1'

# --- over time: two bins of 50 ns; main is innermost for 10 ns of the first, read for 40; sort for all of the second
"$make_trace" time.trace 'counters=["bytes"]' <<'END'
enter t 1000 main 0
enter t 1010 read 0
exit t 1050 read 80
enter t 1050 sort 80
exit t 1100 sort 80
exit t 1100 main 80
enter u 1075 sort 0
exit u 1100 sort 5
END
phases --weight 0 --grain 0 --share-of time_ns --timeline --bins 2 --format csv time.trace >out
is "$(column thread phase from_ns to_ns share <out)" 't,main,0,50,0.2
t,read,0,50,0.8
t,sort,50,100,1
u,sort,50,100,0.5' '--timeline: the innermost phase of each thread in each bin'
phases --weight 100% --grain 0 --timeline --bins 4 --format csv time.trace >out
is "$(grep -c . out)" 1 '--timeline: no rows without phases'
phases --weight 0 --grain 0 --over-time bytes/s --bins 2 --format csv time.trace >out
is "$(column thread from_ns metric value <out)" 't,0,bytes/s,1600000000
t,50,bytes/s,0
u,50,bytes/s,200000000' '--over-time of a rate: 80 bytes in 50 ns, none, 5 in 25 ns'
phases --weight 0 --grain 0 --over-time bytes --bins 4 --format csv time.trace >out
is "$(column thread from_ns value <out | grep t, | tr '\n' ' ')" 't,0,30 t,25,50 t,50,0 t,75,0 ' \
    '--over-time of a counter: its growth in each bin, in proportion between two events'
phases --over-time nothing time.trace >out
is "$? $(grep -c 'no such metric' err)" '1 1' '--over-time: an unknown metric: status 1 and one line'
phases --timeline - <time.trace >out
is "$? $(grep -c 'a second time' err)" '1 1' '--timeline: standard input cannot be read twice: status 1 and one line'
if command -v gnuplot >/dev/null; then
    phases --weight 0 --grain 0 --timeline --bins 2 --plot line.svg time.trace >/dev/null
    is "$? $(grep -c '>sort<' line.svg) $(grep -c '>u<' line.svg)" '0 1 1' \
        '--timeline --plot: the figure names phases and threads, each once'
    phases --weight 0 --grain 0 --over-time bytes/s --bins 2 --plot over.svg time.trace >/dev/null
    is "$? $(grep -c '>bytes/s<' over.svg)" '0 1' '--over-time --plot: the figure names the metric'
else
    skip 'no gnuplot' 2
fi

# --- bad usage, bad input
phases --auto 2 figure3.trace >out
is "$? $(grep -c "'2' is not a value" err)" '2 1' 'an overhead above 1: status 2'
phases --share-of misses figure3.trace >out
is "$? $(grep -c 'no events with metric misses' err)" '1 1' '--share-of: an unknown metric: status 1 and one line'
phases --select /nowhere/x figure3.trace >out
is "$? $(grep -c -e '--select /nowhere/x: No such file' err)" '1 1' 'a selection that cannot be written: status 1 and one line'
echo 'main 1 10 10 main' | "$make_trace" samples.trace
phases samples.trace >out
is "$? $(grep -c 'record --mode methods' err)" '1 1' 'a trace of samples: status 1, and what to do'
: | "$make_trace" none.trace
phases none.trace >out
is "$? $(grep -c 'record --mode methods' err)" '1 1' 'a trace without records: status 1, and what to do'
: >zero.trace
phases zero.trace >out
is "$? $(grep -c 'zero.trace: is empty' err)" '1 1' 'an empty file: status 1, and a line names it'
printf '%s\n' 'enter t 0 f 1' 'exit t 10 f 5' | "$make_trace" bytes.trace series=x run=1 'counters=["bytes"]'
printf '%s\n' 'enter t 0 f 1 7' 'exit t 20 f 5 9' | "$make_trace" faults.trace series=x run=2 'counters=["faults","misses"]'
phases --weight 0 --grain 0 --format csv bytes.trace faults.trace samples.trace none.trace >out
is "$? $(column metric n mean <out | tr '\n' ' ')" \
    '0 time_ns,2,15 bytes,1,4 faults,1,4 misses,1,2 bytes/s,1,400000000 faults/s,1,200000000 misses/s,1,100000000 ' \
    'runs with different counters: each metric is over the runs that have it; traces without events are left out'
done_testing
