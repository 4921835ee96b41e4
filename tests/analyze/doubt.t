#!/bin/sh
# A table that must not be believed says so, with status 1: from generated traces whose ticks are not those of their
# clock, are mostly lost, or belong almost only to the start of a virtual machine. Traces that are slightly off are
# believed.
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_trace
libexec=$build/libexec/assay

# made NAME SAMPLES CPU_S [KEY=VALUE]...: so many samples, evenly over so much CPU time, with a clock of 10 ms; further
# lines for make_trace come from ./more; the first `early` samples are before main()
early=0
made() {
    name=$1 samples=$2 cpu_s=$3
    shift 3
    : >>more
    {
        awk -v n="$samples" -v s="$cpu_s" -v early=$early 'BEGIN { for (i = 0; i < n; i++)
            printf "main %d %.0f %.0f %s\n", i + 1, 1e9 + i * s * 1e9 / (n - 1), 1 + i * s * 1e9 / (n - 1),
                i < early ? "[VM start-up]" : "run;work"
            printf "role main native 1 %.0f\n", 1 + s * 1e9 }'
        cat more
    } | "$build/tests/make_trace" "$name.trace" clock=random period_ns=10000000 period_unit=ns interval_clock=cpu \
        source=cpu-clock 'exit={"stolen_ns":0}' "$@" || exit 1
}

# believed NAME WHAT, doubted NAME REGEXP WHAT
believed() {
    "$libexec/assay-hot" --format csv "$1.trace" >out 2>err
    is $? 0 "$2: status 0"
    unlike err 'DO NOT BELIEVE' '  no warning'
}
doubted() {
    "$libexec/assay-hot" --format csv "$1.trace" >out 2>err
    is $? 1 "$3: status 1"
    like err "DO NOT BELIEVE.*$2" '  standard error says why'
    is "$(sed -n 2p out | cut -d, -f2)" work '  the table is printed all the same'
    "$libexec/assay-hot" "$1.trace" >out 2>err
    like out "DO NOT BELIEVE.*$2" '  the text of the table says why'
    "$libexec/assay-info" "$1.trace" >out 2>err
    like out "DO NOT BELIEVE.*$2" '  assay info says why'
    "$libexec/assay-hot" --save-state "$1.state" "$1.trace" >out 2>err
    "$libexec/assay-hot" "$1.state" >out 2>err
    is $? 1 '  a saved state gives status 1'
}

made right 2001 20
believed right '2001 of 2000 ticks'
made fewer 1700 20
believed fewer '1700 of 2000 ticks'
made rare 1500 20
doubted rare '1500 ticks for 20.0 s of CPU time: too rarely for an interval of 10 ms, which makes 2000' \
    '1500 of 2000 ticks'
made more 2300 20
believed more '2300 of 2000 ticks'
made often 2500 20
doubted often '2500 ticks for 20.0 s of CPU time: too often for an interval of 10 ms, which makes 2000' \
    '2500 of 2000 ticks'
made stolen 2500 20 'exit={"stolen_ns":4000000000}'
believed stolen '2500 of 2000 ticks, 400 of which stolen time explains'
made counted 2500 20 source=pmu 'exit={"stolen_ns":4000000000}'
doubted counted 'too often' 'the same for a hardware counter, which stops during stolen time'
made mended 1500 20 source=external
believed mended '1500 of 2000 ticks of an external source, whose rate is not known'

echo 'lost main 1100' >more
made lost 900 20
doubted lost '1100 of 2000 samples were lost while recording' 'more than half of the samples lost'
echo 'lost main 900' >more
made some 1100 20
believed some 'less than half of the samples lost'
rm more

# Methods that were entered and left: the records are events, and there is no clock.
calls() {
    {
        awk -v n="$2" 'BEGIN { for (i = 0; i < n; i++) printf "enter main %d %d work\nexit main %d %d work\n", 100 + 20 * i, 20 * i, 110 + 20 * i, 20 * i + 10 }'
        echo "lost main $3"
    } | "$build/tests/make_trace" "$1.trace" mode=methods || exit 1
    "$libexec/assay-info" "$1.trace" >out 2>err
}
calls few 500 900
unlike out 'DO NOT BELIEVE' '900 of 1900 events lost: no warning'
calls most 500 1100
like out 'DO NOT BELIEVE.*1100 of 2100 events were lost while recording' '1100 of 2100 events lost: a warning'

early=1850
made early 2000 20
"$libexec/assay-hot" early.trace >out 2>err
is $? 1 '1850 of 2000 samples from before main(): status 1'
like out 'DO NOT BELIEVE this table: 92.5 % of the samples are from before main' '  the table says why'
early=1750
made started 2000 20
believed started '1750 of 2000 samples from before main()'

# Short runs that all lose their beginnings: the first three are named, the others counted. Of 20 records they lose 2, 2,
# 2, 3 and 2; the sixth run lacks none.
early=0
for i in 1 2 3 4 5 6; do
    lost=2
    [ $i != 4 ] || lost=3
    [ $i = 6 ] && lost=0
    echo "lost main $lost" >more
    made short$i $((20 - lost)) 0.2 series=s run=$i
done
"$libexec/assay-hot" short[1-6].trace >out 2>err
is "$(grep -c '^warning: short[1-3].trace: 2 records (10.0 %) were lost while recording; see assay info$' out)" 3 \
    'many runs that lost records: three are named'
is "$(sed -n 's/^warning: \([0-9].*\)/\1/p' out)" '2 more runs lost up to 15.0 % of their records while recording; see assay info' \
    '  and the others counted, with the largest share'
is "$(grep -c '^warning' out)" 4 '  in no other lines'
"$libexec/assay-hot" short[1-4].trace >out 2>err
is "$(sed -n 's/^warning: \([0-9].*\)/\1/p' out)" '1 more run lost 15.0 % of its records while recording; see assay info' \
    '  a single one with its share'
done_testing
