#!/bin/sh
# The cases of wasted memory traffic: both forms of each give the same result; a series continues and prints its table.
. "$(dirname "$0")/../tap.sh"
if ! command -v javac >/dev/null || [ ! -e "$build/lib/assay/libassay-jvm.so" ]; then
    echo '1..0 # SKIP no javac, or no JVM agent in this build'
    exit 0
fi
scratch
cases=$root/datasets/waste/CASES
# workloads FUNCTION ARGUMENT: calls a function of the workloads' scripts
workloads() {
    (
        here=$root/datasets/workloads
        . "$here/common.sh"
        "$@"
    )
}
# result NAME HOW
result() {
    java -XX:TieredStopAtLevel=1 -Djava.awt.headless=true -Ditemsets.statements=6 -Ddatasets="$root/datasets" -cp "classes$jars" Case "$1" "$2" 2 2>errors || cat errors
}
grep -v '^#' "$cases" >rows
while IFS='	' read -r name kind steps published workload place what; do
    case $kind in dead-store | silent-store | silent-load) ;; *) echo "$name: $kind" ;; esac
    [ "$steps" -gt 0 ] && [ -n "$published" ] && [ -n "$place" ] && [ -n "$what" ] || echo "$name: a field is missing"
done <rows >wrong 2>&1
is "$(cat wrong)" '' 'every case has its fields'
jars=
: >ready
sources=Case.java
while IFS='	' read -r name kind steps published workload place what; do
    if [ "$workload" != - ]; then
        missing=$(workloads missing_packages "$workload")
        if [ -n "$missing" ]; then
            skip "$name: not installed: $missing"
            continue
        fi
        jars=$jars$(workloads workload_jars "$workload")
    fi
    sources="$sources $(echo "$name" | sed 's/./\U&/').java"
    echo "$name" >>ready
done <rows
# shellcheck disable=SC2086 # file names
(cd "$root/datasets/waste/java" &&
    compile_java --release 17 -nowarn -d "$scratch/classes" -sourcepath .:../../workloads/java -cp "$scratch/classes$jars" $sources)
is $? 0 'the cases compile'
while read -r name; do
    before=$(result "$name" before)
    echo "$before" >line
    like line "^$name: 2 iterations, checksum [0-9a-f]*$" "$name: the form before the fix runs"
    is "$(result "$name" after)" "$before" '  the form after it gives the same result'
done <ready

CASES=nothing OUT=$scratch/none "$root/datasets/waste/reproduce" 2>err
is $? 2 'an unknown case: status 2'
is "$(cut -d ';' -f 1 err)" 'reproduce: nothing: there is no such case' '  one line on stderr reports it'
PAIRS=1 OUT=$scratch/none "$root/datasets/waste/reproduce" 2>err
is $? 2 'PAIRS=1, which gives no interval: status 2'
is "$(find none 2>&1 | grep -c /)" 0 '  nothing is started'

ENGINE=exact OUT=$scratch/none "$root/datasets/waste/reproduce" 2>err
is $? 2 'an engine that JVMs do not have: status 2'
like err '^reproduce: ENGINE=exact: choose auto, pmu, soft or rewrite$' '  one line on stderr reports it'

# Without watchpoints the cases are recorded by rewriting, and there are no rates.
# An earlier series with the same folder, of another case, leaves all rounds of this one to be run.
${CC:-cc} -o deny_perf "$root/tests/record/deny_perf.c" || exit 1
mkdir rewritten
printf '%s\n' round,case,how,wall_s 1,fft,after,0.5 1,fft,before,0.5 2,fft,before,0.5 2,fft,after,0.5 >rewritten/times.csv
XDG_CACHE_HOME=$build/tests/cache ASSAY_BUILD=$build OUT=$scratch/rewritten CASES=union RUNS=2 PAIRS=2 \
    ./deny_perf 1 "$root/datasets/waste/reproduce" >table 2>err
is $? 0 'where accesses cannot be sampled: status 0'
is "$(grep -c ',union,' rewritten/times.csv)" 4 '  both rounds of a case that is added later are run'
like err '^reproduce: engine rewrite, since accesses can.t be sampled: .*no watchpoints' '  a line says what is done instead'
like table '^\| union \| dead-store \| [0-9.]+ .* \| (9[0-9][.][0-9]|100[.]0), rank 1 \| [0-9.]+ .* \| none \|' \
    '  the table has the waste at its place'
./deny_perf 1 "$root/datasets/waste/rates" >tables 2>err
is "$?/$(wc -c <tables)" 0/0 '  rates has nothing to do'
like err '^rates: nothing to measure: .*no watchpoints' '    and says why'

"$build/libexec/assay/assay-record" -q -m dead-store -o probe -- true 2>err
if grep -q 'no watchpoints' err; then
    skip 'no watchpoints here' 14
    done_testing
    exit
fi
series() {
    ASSAY_BUILD=$build OUT=$scratch/out CASES=union RUNS=1 PAIRS=$1 "$root/datasets/waste/reproduce" >table 2>err
}
series 2
is $? 0 'a series of one case: status 0'
like table '^\| union \| dead-store \| [0-9.-]+ .* \| ([0-9.]+, rank [0-9]+|none) \| [0-9.-]+ .* \| none \| [0-9.-]+ \| [0-9.-]+ \| [0-9.]+ \[[0-9.-]+, [0-9.-]+\] \| 1.35' \
    '  its table is printed'
is "$(wc -l <out/times.csv)" 5 '  its times are recorded'
series 3
is $? 0 'a continued series: status 0'
is "$(wc -l <out/times.csv)" 7 '  only the missing rounds are run'

rates() {
    ASSAY_BUILD=$build OUT=$scratch/rates WORKLOADS=sablecc KINDS=silent-load PERIODS="$1" REGISTERS="$3" SCALE=0.05 ROUNDS="$2" \
        "$root/datasets/waste/rates"
}
for wrong in '1ms/2/1' '1ms 2ms 10ms/1/1' '1ms 2ms 10ms/2/4'; do
    rates "${wrong%%/*}" "$(echo "$wrong" | cut -d / -f 2)" "${wrong##*/}" 2>err
    is "$?/$(wc -l <err)/$([ -e rates ]; echo $?)" 2/1/1 "rates: $wrong: status 2 and one line, and nothing is started"
done
rates '1ms 2ms 10ms' 2 1 >tables 2>err
status=$?
is $status 0 'rates: a series of one workload: status 0'
[ $status -eq 0 ] || sed 's/^/# /' err
like tables '^\| sablecc \| silent-load \| [0-9.]+ \| ([0-9.]+ \| |- \| ){2}[0-9.]+ \|$' \
    '  a table has the fractions at three periods'
like tables '^\| silent-load \| slowdown \| 1ms \| [0-9.]+ \[[0-9.]+, [0-9.]+\] \| .* \| 1.35 / 1.34, 500K \|$' \
    '  a table has the cost beside the published one'
is "$(wc -l <rates/times.csv)" 11 '  every round has every way of running'
sed -i 's/^2,sablecc,none,,,.*/2,sablecc,none/' rates/times.csv
echo 999,1 >rates/time
rates '1ms 2ms 10ms' 2 1 >tables 2>err
is "$(grep -cE '^2,sablecc,none,,,[0-9.]+,[0-9]+$' rates/times.csv)/$(grep -c 999,1 rates/times.csv)" 1/0 \
    'rates: an incomplete row is run again'
done_testing
