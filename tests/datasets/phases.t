#!/bin/sh
# The paper's tables and figures of phases: a series of one small program, which continues after an interruption.
. "$(dirname "$0")/../tap.sh"
reproduce=$root/datasets/phases/reproduce
scratch
for wrong in RUNS=1 PAIRS=1 PAIRS=x; do
    env "$wrong" OUT="$scratch/none" "$reproduce" 2>err
    is "$?/$(wc -l <err)/$([ -e none ]; echo $?)" 2/1/1 "$wrong: status 2 and one line, and nothing is started"
done
if ! command -v javac >/dev/null || [ ! -e "$build/lib/assay/libassay-jvm.so" ] || [ ! -e /usr/share/java/sablecc.jar ]; then
    skip 'no javac, no JVM agent in this build, or no SableCC' 16
    done_testing
    exit
fi
printf '#!/bin/sh\necho run >>out/wrapped\nexec "$@"\n' >wrapper
sed -i "s,out/wrapped,$scratch/out/wrapped," wrapper
chmod +x wrapper
# series [NAME=VALUE...]: the series, with these variables set
series() {
    env WRAPPER="$scratch/wrapper" JAVA_OPTS=-XX:TieredStopAtLevel=1 ASSAY_BUILD="$build" OUT="$scratch/out" WORKLOADS=sablecc SCALE=0.01 RUNS=2 PAIRS=2 \
        "$@" "$reproduce" >tables 2>err
}
series
status=$?
is $status 0 'a series of one program: status 0'
[ $status -eq 0 ] || sed 's/^/# /' err
like err 'round 2 of 2, sablecc .*: 8 of 8 steps; about 0 min to go' '  standard error shows the progress'
number='[0-9.e+-]+'
interval="$number \\[$number, $number\\]"
like tables "^\\| sablecc \\| $number \\| $number \\| $number \\| $number \\| $interval \\| $interval \\| $interval \\| [0-9]+ \\([0-9]+\\) \\| [0-9]+ \\([0-9]+\\) \\| [0-9]+ \\|$" \
    '  Table 3 is printed'
like tables "^\\| sablecc \\| $number \\| $number \\| $number \\| $number \\| $number \\| $number \\| $interval \\| $number \\| $number \\| $number \\| $interval \\|$" \
    '  a table compares estimated with measured overhead'
is "$(grep -c . out/wrapped)" 8 '  the wrapper starts every run'
like tables "^\\| sablecc \\| [a-z].* \\| $number \\| \\([0-9]+, [0-9]+\\) \\| $number \\| [0-9]+ of [0-9]+ \\|$" \
    '  Table 4 is printed'
like tables "^\\| sablecc \\| $interval \\| $interval \\|" '  Table 5 is printed'
like tables "^\\| org.sablecc.sablecc.SableCC.processGrammar\\(File,File\\) \\| $number % \\| $number \\|" \
    '  Table 6 is printed'
is "$(grep -c '^| paper: ' tables)" 68 '  the tables have the 8 + 8 + 8 + 44 published rows'
# Step 1: the estimated overhead follows from the counts in the table, and is below 1 %.
is "$(awk -F' [|] ' '/^. sablecc/ { split($10, phase, " "); gsub(/[()]/, "", phase[2])
        print ($4 < 1 && $4 / (100 * phase[1] / phase[2]) < 1.01 && $4 / (100 * phase[1] / phase[2]) > 0.99); exit }' tables)" 1 \
    '  the estimated overhead is calls of phases / all calls, and below 1 %'
if command -v gnuplot >/dev/null; then
    is "$(ls out | grep -c '^figure.*svg$')" 7 \
        '  seven figures are drawn: a plane, CoV, boxes of four metrics, components'
else
    skip 'no gnuplot'
fi
sed -i '$d' out/times.csv
printf '2,sablecc' >>out/times.csv
series
is "$? $(grep -c min err)" '0 1' 'a missing step is run again, and no other'
SCALE=0.02 OUT=$scratch/out "$reproduce" 2>err
is "$?/$(wc -l <err)" 2/1 'a series with other settings is refused: status 2 and one line'
series OUT="$scratch/out/timed" COUNTERS=cpu-time
is "$? $(grep -c 'sablecc: COUNTERS=cpu-time has no counter besides time: Table 6 is left out' err)" '0 1' \
    'without a counter besides time: a line says that Table 6 is left out'
like tables '^sablecc: left out, as its recordings have no counter besides time' '  so does Table 6'
done_testing
