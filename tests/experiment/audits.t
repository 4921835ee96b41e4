#!/bin/sh
# assay experiment: audits of profilers and injected slowdowns as recordings, and results that are made from them.
. "$(dirname "$0")/../tap.sh"
scratch
command -v gcc >/dev/null || skip_all 'there is no gcc'
experiment=$build/libexec/assay/assay-experiment
cat >prog.c <<'END'
#include <stdio.h>
__attribute__((noinline)) unsigned long find(unsigned long n)
{
    unsigned long s = n;
    for (int i = 0; i < 3000; i++)
        s = s * 31 + (unsigned long)i;
    return s;
}
int main(int count, char **arguments)
{
    unsigned long s = 0;
    FILE *log = fopen("starts.log", "a");
    for (int i = 0; i < 20000; i++)
        s += find(s);
    fprintf(log, "%d %s %lu\n", count, arguments[0], s);
    return fclose(log);
}
END
gcc -O1 -g -finstrument-functions prog.c -o prog || skip_all 'gcc makes no program'
cat >study.yaml <<'END'
rounds: 2
seed: 3
programs: {prog: ./prog}
recordings:
  slow: {assay: inject --method find --amount 3000, record: record --engine soft --period 1ms}
  plain: inject --method find --amount 3000
  believe: audit profiler --profiler assay-random --profiler assay-fixed
results:
  directory: paper
  tables:
    causality.csv: {assay: causality, from: slow}
    cpu.csv: {assay: ci --by amount --value run, from: plain}
    cost.csv: {assay: ci --by profiler --value round, from: believe}
    audit.txt: {assay: audit profiler --tolerance 0.3, from: believe}
    audit.html: {assay: audit profiler, from: believe}
    hot.csv: {assay: hot --top 1 --by directory, from: believe}
END
"$experiment" study.yaml >out 2>err
is "$? $(cat out)" '0 ' 'audits and injections are recorded, and all results made: status 0'
# 2 runs with amounts 0 and 3000, twice; 2 runs with each of 2 profilers, and 2 without
is "$(grep -c '' starts.log)" 14 '  all runs of each are made'
is "$(cut -d , -f 3,8,9 paper/causality.csv | tr '\n' ' ')" 'method,points,runs find,4,2 ' \
    '  assay causality gets the table of the injected work, and the traces of its runs'
is "$(cut -d , -f 1-3 paper/cpu.csv | tr '\n' ' ')" 'amount,n,mean 0,2,1.5 3000,2,1.5 ' '  tables of injections have their rows'
is "$(cut -d , -f 1-3 paper/cost.csv | tail -n +2 | sort | tr '\n' ' ')" 'assay-fixed,2,1.5 assay-random,2,1.5 none,2,1.5 ' \
    '  those of audits have a row for each run with a profiler, and without'
is "$(cut -d , -f 2,3,9 paper/hot.csv | tr '\n' ' ')" 'rank,method,runs 1,find,2 1,find,2 ' '  programs on traces get those of all profilers'
like paper/audit.txt '^2 runs with each profiler, and 2 without: ./prog$' '  the report of an audit is a result'
like paper/audit.txt 'profiles differ if the interval of their distance is above 0.3' '  with the options of its line'
is "$(head -c 15 paper/audit.html)" '<!DOCTYPE html>' '  and a page, if its name says so'
is "$(grep -c '2 runs with each profiler, and 2 without: ./prog$' paper/report.html)" 2 '  the report shows both'
is "$(grep -c 'audit profiler --tolerance 0.3 --report --format=text --output=study.data/recordings/believe/prog &gt;paper/audit.txt<' paper/report.html)" 1 \
    '  with the command line that makes them from the recording'
is "$(grep -c '</code>, 2 rounds in one start.</dd>$' paper/report.html)" 3 '  and how many runs the recordings have'
# 2 runs with each of 2 profilers, and 2 of the injection with and without work
is "$(sed -n 's/.*<\/code> on \(.*\) of \([a-z]*\)\/prog\.$/\2: \1/p' paper/report.html | sort | tr '\n' ,)" \
    'believe: 4 traces,believe: 4 traces,believe: 4 traces,believe: the table of runs,plain: the table of runs,slow: 4 traces,' \
    '  and what each result is made from'
: >starts.log
cp -r paper before
before=$(find study.data/recordings -type f -exec sha256sum {} + | sort)
"$experiment" study.yaml 2>err
is "$? $(sed -n 's/^assay-experiment: //p' err)" '0 0 results made, 6 unchanged, 0 not made' 'a second time nothing is made'
rm -r paper study.data/results.json
mv prog gone
"$experiment" report -q study.yaml
is "$? $(diff -r before paper) $(grep -c '' starts.log)" '0  0' 'report makes the same bytes without the program'
is "$(find study.data/recordings -type f -exec sha256sum {} + | sort)" "$before" '  and changes no recording'
mv gone prog
sed -i 's/^rounds: 2/rounds: 3/' study.yaml
"$experiment" -q study.yaml
is "$? $(grep -c '' starts.log) $(cut -d , -f 2 paper/cpu.csv | tr '\n' ' ')" '0 7 n 3 3 ' 'more rounds add the runs that are missing'

# wrong SED REGEXP WHAT
wrong() {
    sed "$1" study.yaml >wrong.yaml
    "$experiment" --dry-run wrong.yaml 2>err
    is $? 1 "$3: status 1"
    like err "^assay-experiment: wrong.yaml:$2" '  one line says why'
}
wrong 's/inject --method find --amount 3000$/inject --method find --runs 3/' '6:10: --runs: the experiment chooses it; see rounds$' \
    'an option that the experiment gives'
wrong 's/assay-fixed$/assay-fixed --rnus 3/' '7:12: audit: --rnus: no such option' 'an unknown option of an audit'
wrong 's/record: record/record: hot/' '5:[0-9]*: record: a line of assay record is wanted' 'another program than assay record'
wrong 's/plain: inject/plain: hot/' "6:10: a recording begins with record, inject or audit profiler, not 'hot'$" 'a recording of another program'
wrong 's,{prog: ./prog},{prog: {command: ./prog\, input: prog.c}},' "[0-9:]*: inject can't give program prog its input" \
    'a program with an input'
wrong 's/{prog: .*/{prog: .\/prog, other: .\/prog}/; s/^  slow:.*//; s/^    causality.*//' \
    '[0-9]*:[0-9]*: paper/audit.txt would be made from 2 audits; write \{program\} or a factor into its name' 'one report of two audits'
wrong 's/record: record/warmup: 1\, record: record/' '5:9: until and warmup are possible for recordings of assay record alone$' 'warm-up of an injection'
done_testing
