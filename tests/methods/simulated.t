#!/bin/sh
# Simulated counters: functions with known instructions and misses, a comparison with cachegrind, and what happens where
# the counters can't be had. The caches are given, so the result is the same on every machine.
. "$(dirname "$0")/lib.sh"
[ -e "$build/lib/assay/valgrind/assay-amd64-linux" ] || { skip 'this build has no Valgrind tool'; done_testing; exit 0; }
phases=$build/libexec/assay/assay-phases
# Simulated counters leave probes out, so --max-cost, which lib.sh sets, is not for them.
record="$build/libexec/assay/assay-record -q -m methods -o out"
caches=32K/8/64,32K/8/64,1M/16/64
cc -O1 -g -finstrument-functions -Wl,-z,now -o simulated "$root/tests/victims/simulated.c" || exit 1
cc -O1 -fpatchable-function-entry=5 -Wl,-z,now -o patched "$root/tests/victims/simulated.c" || exit 1
cc -O1 -finstrument-functions -Wl,-z,now -pthread -o methods "$root/tests/victims/methods.c" || exit 1

# values COUNTER,...: "FUNCTION COUNTER SUM" over all calls of each function, in the events
values() {
    at=0
    for name in $(echo "$1" | tr , ' '); do
        for function in spin stride again copy guess indirect; do
            used "$function" "counter_$at" | awk -v what="$function ${name#simulated-}" '{ sum += $1 } END { print what, sum }'
        done
        at=$((at + 1))
    done
}

# check FUNCTION COUNTER LOW HIGH: the sum over 5 calls in ./seen
check() {
    value=$(awk -v key="$1 $2" '$1 " " $2 == key { print $3 }' seen)
    [ -n "$value" ] && [ "$value" -ge "$3" ] && [ "$value" -le "$4" ]
    ok $? "  $1(): $2 between $3 and $4: $value"
}

list=simulated-instructions,simulated-l1i-misses,simulated-l1d-misses,simulated-l2-misses
recorded --counters $list --caches $caches -- ./simulated
is "$? $(cat err)" '0 ' 'instructions and cache misses: status 0, no message'
values $list >seen
# 2 instructions per iteration; the code around the loop and the call of the probe take less than 100 per call.
check spin instructions 100000 100500
check guess instructions 324000 326000
check copy instructions 10 500 # rep movsb counts as one
check stride l1d-misses 10160 10260 # the 16 lines of again() may still be cached
check stride l2-misses 2048 2060
check copy l1d-misses 1280 1300
check copy l2-misses 256 266
check spin l1d-misses 0 20
check spin l1i-misses 0 10
check again l1d-misses 80 100
"$phases" --weight 0 --grain 0 out/*.trace >table 2>&1
like table 'of simulated-instructions of the program' "  shares are of the program's instructions"
like table '^simulated-.*model of a processor.*not by this machine' '  a note tells that the counters are a model'
"$build/libexec/assay/assay-info" out/*.trace >info
like info 'simulated +.*"l2":\{"bytes":1048576,"ways":16,"line_bytes":64\}' '  the trace describes the caches'
cp seen ours
# What a probe's call counts is subtracted: what is left of spin() is its loop, the setup and the return.
"$phases" --weight 0 --grain 0 --format csv out/*.trace 2>/dev/null |
    awk -F, '$1 == "spin" && $5 == "simulated-instructions" { printf "spin mean %d\n", $7 }' >seen
check spin mean 19990 20010
like table '^simulated-instructions: [0-9.]+ \[[0-9.]+, [0-9.]+\] is subtracted from each call for what its probes' \
    '  and a note tells what was subtracted'

list=simulated-branch-misses,simulated-l1-misses,cpu-time
recorded --counters $list --caches $caches -- ./simulated
is "$? $(cat err)" '0 ' 'branch misses together with CPU time: status 0, no message'
values simulated-branch-misses,simulated-l1-misses >seen
check spin branch-misses 0 200
check guess branch-misses 20000 30000
check indirect branch-misses 4500 5600
check stride l1-misses 10160 10280

if command -v cg_annotate >/dev/null && valgrind --tool=cachegrind --cache-sim=yes --branch-sim=yes --I1=32768,8,64 \
    --D1=32768,8,64 --LL=1048576,16,64 --cachegrind-out-file=theirs ./simulated 2>/dev/null; then
    cg_annotate --threshold=0 --show=Ir,D1mr,D1mw,DLmr,DLmw theirs |
        sed 's/([^)]*)//g; s/,//g' | awk '{ n = split($NF, part, ":"); f = part[n]
            if ($NF ~ /simulated\.c:/) {
                print f, "instructions", $1
                print f, "l1d-misses", $2 + $3
                print f, "l2-misses", $4 + $5
            } }' >cachegrind
    # Cachegrind counts a repeated instruction once per repetition, and has no probes to call. indirect() is left out:
    # cachegrind's figures do not include the two functions that it calls.
    for function in spin stride again copy guess; do
        for name in instructions l1d-misses l2-misses; do
            [ "$function $name" = 'copy instructions' ] && continue
            value=$(awk -v key="$function $name" '$1 " " $2 == key { print $3 }' cachegrind)
            cp ours seen
            slack=$([ $name = instructions ] && echo 500 || echo 100)
            low=$((value - 100))
            check "$function" $name $((low > 0 ? low : 0)) $((value + slack))
        done
    done
else
    skip 'there is no cachegrind here'
fi

recorded --counters simulated-instructions -- ./patched
is "$? $(cat err)" '0 ' 'patched functions: status 0, no message'
values simulated-instructions >seen
check spin instructions 100000 102500

recorded --counters simulated-instructions -- ./methods 10
is "$? $(counted | grep -v '^leaf')" "0 $without_leaf" 'threads, a fork and longjmp: every call has its end'
is "$("$dump" --kind thread --format csv "$(ls -S out/*.trace | head -1)" | cut -d, -f4 | grep -Ev '^(name|\[recorder\])$' | sort -u)" methods \
    "  threads have the program's name, not the simulator's"

recorded --counters simulated-instructions,page-faults -- sh -c './simulated; ./simulated'
is "$? $(ls out/*.trace | wc -l)" '0 2' 'a shell starts two programs: each has a trace, the shell has none'

if command -v java >/dev/null; then
    recorded --counters simulated-instructions,page-faults -- java -version
    is "$(grep -c 'assay-record: --counters simulated-instructions: .*java is a Java virtual machine.*cpu-time is counted instead' err)" 1 \
        'Java: one line tells what is counted instead'
fi
for bad in 32K/8/64 32K/8/48,32K/8/64,1M/16/64 32K/0/64,32K/8/64,1M/16/64 32K/8/64,32K/8/64,1M/16/64,; do
    recorded --counters simulated-l1-misses --caches "$bad" -- ./simulated
    is "$? $(grep -c 'must be three caches' err)" '2 1' "--caches $bad is refused"
done
recorded --caches $caches -- ./simulated
is "$?" 2 '--caches without a simulated counter is refused'
recorded --counters simulated-l1-misses --give-up-below 1us -- ./simulated
is "$?" 2 '--give-up-below with a simulated counter is refused'
done_testing
