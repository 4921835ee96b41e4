#!/bin/sh
# On-stack replacement: a method is compiled, de-optimized and compiled again during its only call. HotSpot's own log says that it
# was, and the program itself how much CPU time the call took.
. "$(dirname "$0")/lib.sh"
jar=$build/lib/assay/assay-methods.jar
command -v javac >/dev/null && command -v java >/dev/null || skip_all 'there is no JDK here'
[ -e "$jar" ] || skip_all 'this build has no class rewriter (libasm-java)'
compile_java -d . "$root/tests/victims/java/Replaced.java" || exit 1
phases=$build/libexec/assay/assay-phases

recorded --include Replaced.loop -- java -XX:+PrintCompilation -cp . Replaced 200000000
grep -q '% .* Replaced::loop @' said && grep -q '% .* Replaced::loop @.*made not entrant' said
ok $? 'with its probes the method is replaced on the stack, and its code is given up'
is "$(counted)" 'Replaced.loop enter 1
Replaced.loop exit 1' '  its only call has one entry and one exit'
truth=$(grep -E '^[0-9]+ ?$' said)
ours=$(used loop counter_0)
awk -v ours="$ours" -v truth="$truth" 'BEGIN { exit !(truth > 1e7 && ours >= 0.97 * truth && ours <= 1.03 * truth) }'
ok $? "  and all of its CPU time, within 3 % ($ours and $truth ns)"
"$phases" --format json --output table.json out/*.trace 2>err
compiles=$(sed -n 's/.*"osr_compiles": *\([0-9]*\).*/\1/p' table.json)
least=$(grep -c '^ *[0-9]* *[0-9]* %.* Replaced::loop @ [0-9]* ([0-9]* bytes)$' said)
between "$least" "$compiles" 100000 '  the trace counts its compilations, and those of other methods'
like table.json 'OSR, [0-9]+ compilations.*such a call stays one call' '  and a note says what holds'
recorded --include Replaced.loop -- java -Xint -cp . Replaced 2000000
"$phases" out/*.trace >table 2>err
unlike table 'OSR' 'in an interpreter nothing is replaced, and there is no note'
is "$(counted)" 'Replaced.loop enter 1
Replaced.loop exit 1' '  the events are the same'
done_testing
