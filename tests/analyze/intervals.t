#!/bin/sh
# assay intervals: verdicts on clocks with known answers, values compared with R, gaps, and the same output however the
# traces are divided.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_trace
intervals=$build/libexec/assay/assay-intervals
make_trace=$build/tests/make_trace

# near GOT EXPECTED WHAT: relative error at most 1e-13
near() {
	is "$(awk -v g="$1" -v e="$2" 'BEGIN { d = g - e; if (d < 0) d = -d; if (e < 0) e = -e; print (g != "" && d <= 1e-13 * e) }')" 1 "$3: $1"
}

# clock KIND INTERVALS THREAD: samples of a clock of 10 ms; MINSTD generates the draws, so R can reproduce them.
clock() {
	awk -v kind="$1" -v n="$2" -v name="$3" '
	function draw() { s = s * 16807 % 2147483647; return s }
	BEGIN {
		s = 1; t = 1000000000; tick = 1
		for (i = 0; i <= n; i++) {
			printf "%s %d %.0f %.0f\n", name, tick++, t, kind == "cpu" ? t / 10 - t % 10 / 10 : t
			d = 7000000 + draw() % 6000001
			if (kind == "periodic") { d = 10000000 + draw() % 100001; if (draw() % 50 == 0) d += draw() % 300000000 }
			if (kind == "stalls" && draw() % 100 == 0) d += draw() % 300000000
			if (kind == "sum") { d = draw() % 3000001; t += 7000000 + last; last = d }
			if (kind == "late") { late = draw() % 6000001; d = 10000000 + late - last; last = late }
			if (kind == "constant") d = 10000000
			if (kind == "gaps" && i % 10 == 9) { tick += 3; d += 5000000000 }
			t += d
		}
	}'
}

# column NAME FILE [ARGUMENT...]: that column of every row
column() {
	name=$1
	shift
	"$intervals" --format tsv "$@" 2>err | awk -F '\t' -v name="$name" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }'
}

# bad usage and bad input
"$intervals" >out 2>err
is "$? $(wc -c <out)" '2 0' 'no trace: bad usage, nothing printed'
for bad in --lags=0 --lags=1.5 --alpha=0 --alpha=nan --min-samples=1 --min-spread=-1 --cap=x; do
	"$intervals" "$bad" x.trace >out 2>err
	is $? 2 "$bad is refused"
done
echo nonsense >bad.trace
"$intervals" bad.trace >out 2>err
is $? 1 'a file that is not a trace: status 1'

# values from R. R 4.2: v as below (n = 1000); mean(v), sd(v), acf(v)$acf[2], Box.test(v, 20, "Ljung"), log10 of its p
clock uniform 1000 main | "$make_trace" random.trace clock=random period_ns=10000000 interval_clock=wall
"$intervals" --lags 20 --format csv -o random.csv random.trace
is $? 0 'a good trace: status 0'
is "$(head -n 1 random.csv)" 'trace,thread,clock,n,mean_ms,sd_ms,cv,lag1,q,dof,p,log10_p,verdict' 'the columns'
is "$(cut -d, -f1-4,10,13 random.csv | tail -n 1)" 'random.trace,main,random,1000,20,random' \
    'intervals of 10 ± 3 ms are random'
near "$(column mean_ms --lags 20 random.trace)" 9.9057412569999993 "the mean is R's"
near "$(column sd_ms --lags 20 random.trace)" 1.7203835513962926 "the sd is R's"
near "$(column lag1 --lags 20 random.trace)" -0.016118660580114751 "r_1 is R's"
near "$(column q --lags 20 random.trace)" 17.909709743617977 "Q is R's"
near "$(column p --lags 20 random.trace)" 0.59335614453722707 "p is R's"
near "$(column log10_p --lags 20 random.trace)" -0.22668455591153672 "log10 p is R's"

# verdicts
{
	clock stalls 2000 stalls
	clock periodic 900 periodic
	clock sum 800 sum
	clock late 700 late
	clock constant 600 constant
	clock uniform 49 short
	echo lone 1 1 1
} | "$make_trace" all.trace clock=random period_ns=10000000 interval_clock=wall
"$intervals" --format tsv all.trace >all.tsv
is "$(cut -f2,4,13 all.tsv | tail -n +2)" "$(printf '%s\t%s\t%s\n' stalls 2000 random periodic 900 'not random: periodic' \
	sum 800 'not random: correlated' late 700 'not random: correlated' constant 600 'not random: periodic' \
	short 49 'undecided: too few intervals' lone 0 'undecided: too few intervals')" \
	'seven clocks get seven verdicts, in the order of n'
is "$(awk -F '\t' '$2 == "periodic" { print ($7 > 1) }' all.tsv)" 1 'stalls raise the cv of the periodic clock above 1'
is "$(awk -F '\t' '$2 == "constant"' all.tsv | cut -f6-12)" "$(printf '0\t0\t\t\t\t\t')" \
    'a constant series has no r, Q or p, and no NaN'
is "$(column verdict --min-spread 0 --thread periodic all.trace)" random \
    '--min-spread 0: without a bound on the spread the periodic clock is random'
is "$(column verdict --alpha 1e-200 --thread late all.trace)" random \
    '--alpha 1e-200: a correlated series passes as random'
is "$(column verdict --min-samples 20 --thread short all.trace)" random \
    '--min-samples 20: a series of 49 intervals gets a verdict'
is "$(column dof --lags 3 --thread sum all.trace)" 3 '--lags: their number is the degrees of freedom'
is "$("$intervals" all.trace | grep -c 'intervals exceed 2 periods')" 1 'capped stalls are reported'
is "$("$intervals" --cap 0 all.trace | grep -c 'intervals exceed')" 0 '  none without a cap'
clock stalls 300 main | "$make_trace" events.trace period_ns=10000000 period_unit=events
is "$("$intervals" events.trace | grep -c 'intervals exceed')" 0 '  none where the period is not a time'
"$intervals" -q --thread nobody all.trace >out 2>err
is "$? $(grep -c 'no samples of thread nobody' err)" '1 1' 'an unknown thread: status 1, and a line names it'

# the ACF
is "$("$intervals" --acf --format csv --lags 2 random.trace | head -n 1)" trace,thread,clock,lag,r,lo,hi \
    '--acf: the columns'
is "$(column lag --acf random.trace | tail -n 1)" 100 '--acf: a hundred lags'
is "$("$intervals" --acf all.trace | grep -c '^3 of 7 threads are left out')" 1 \
    '--acf: a note counts the constant and short series left out'
near "$(column r --acf random.trace | tail -n 1)" -0.022301032546425407 "--acf: r_100 is R's"
near "$(column hi --acf random.trace | head -n 1)" 0.061979503230456148 '--acf: the bound is qnorm(0.975)/sqrt(1000)'
is "$(column lag --acf --min-samples 2 --thread short all.trace | tail -n 1)" 48 '--acf: at most n - 1 lags'

# clocks, threads of the same name, gaps, lost records
{
	clock cpu 100 main
	clock uniform 60 w/1
	clock uniform 70 w/2
	echo lost main 4
} | "$make_trace" cpu.trace interval_clock=cpu
is "$(column thread cpu.trace | tr '\n' ' ')" 'main w#102 w#101 ' 'threads of the same name are told apart by tid'
is "$("$intervals" cpu.trace | sort -u | grep -c 'in the thread.s CPU time')" 1 \
    'a note names the time that intervals are measured in'
is "$(column mean_ms --thread 100 cpu.trace | awk '{ print ($1 > 0.9 && $1 < 1.1) }')" 1 \
    '  the intervals are in that time'
is "$("$intervals" cpu.trace | grep -c '^4 records were lost')" 1 'lost records are reported'
clock gaps 1000 main | "$make_trace" gaps.trace
is "$(column n gaps.trace)" 900 'no interval spans a jump of the ticks'
is "$("$intervals" gaps.trace | grep -c 'in real time')" 1 'a trace that does not name its clock is judged in real time'
is "$("$intervals" gaps.trace | grep -c '^100 gaps:')" 1 'gaps are counted'
clock gaps 10 main | "$make_trace" gap.trace
is "$("$intervals" gap.trace | grep -c '^1 gap:')" 1 '  a single one, too'

# the same however the traces are divided
{ clock stalls 2000 main; clock gaps 700 other; } | CHUNK=37 "$make_trace" cut.trace period_ns=10000000
{ clock stalls 2000 main; clock gaps 700 other; } | "$make_trace" whole.trace period_ns=10000000
"$intervals" --format csv whole.trace | sed s/whole/cut/ >expected
for jobs in 1 2 7; do
	"$intervals" -j "$jobs" --format csv cut.trace >out
	is "$(cat out)" "$(cat expected)" "small chunks, -j $jobs: the same table"
done
"$intervals" --format json -j 3 random.trace cut.trace all.trace >one
"$intervals" --format json -j 1 all.trace random.trace cut.trace >two
is "$(grep '"trace"' one)" "$(grep '"trace"' two)" 'the order of traces makes no difference'
"$intervals" --save-state state random.trace cut.trace all.trace
"$intervals" --format json state >three
is "$(grep '"trace"' three)" "$(grep '"trace"' two)" 'a saved state gives the same report'
"$intervals" --save-state a.state random.trace cut.trace
"$intervals" --save-state b.state all.trace
"$build/libexec/assay/assay-merge" -o merged.state b.state a.state
"$intervals" --format json merged.state >three
is "$(grep '"trace"' three)" "$(grep '"trace"' two)" '  so does one that assay merge has joined'
is "$(column thread --thread other state)" other '--thread shows only this thread of a saved state'
"$intervals" --save-state other.state --thread other state
is "$(column thread other.state)" other '  and saves only it'

# Traces in different directories, whose paths are the same in each. What directly follows is taken as continued.
mkdir first second
{ clock uniform 60 w; clock uniform 80 v; } | "$make_trace" first/t.trace
{ clock uniform 70 w; clock uniform 90 v; } | "$make_trace" second/t.trace
(cd first && "$intervals" --save-state ../one.state t.trace; cd ../second && "$intervals" --save-state ../two.state t.trace)
is "$(column n one.state two.state | xargs)" '90 80 70 60' 'traces whose paths are equal stay apart'
(cd first && "$intervals" --save-state ../one.state --thread w t.trace; cd ../second && "$intervals" --save-state ../two.state --thread w t.trace)
is "$(column n one.state two.state | xargs)" 130 '  but threads that directly follow each other are joined'

# Damaged states: a series is a row of numbers of texts and others, and of its intervals.
grep -o '"threads":.*' one.state | cut -c1-30 >out
like out '^"threads":..0,1,2,1,0,61,0,' 'a state lists its series'
for damage in 's/"threads":\[\[0,/"threads":[[3,/' 's/"threads":\[\[0,1,/"threads":[[0,/' 's/"threads":\[\[0,1,2,1,0,61/"threads":[[0,1,2,1,2,61/' \
    's/,[0-9]*\]\]/]]/' 's/"threads"/"thread"/'; do
    sed "$damage" one.state >bad.state
    "$intervals" bad.state >out 2>err
    is "$? $(cmp -s one.state bad.state || grep -c 'bad.state: the saved state is damaged' err)" '1 1' "a damaged state is refused: $damage"
done
sed 's/"threads":\[\(.*\]\]\)\]/"threads":[\1,\1]/' one.state >bad.state
"$intervals" bad.state >out 2>err
is "$? $(cmp -s one.state bad.state || grep -c 'bad.state: the saved state is damaged' err)" '1 1' \
    '  also one in which a series follows itself'

done_testing
