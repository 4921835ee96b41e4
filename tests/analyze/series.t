#!/bin/sh
# What assay record has measured as a table: series.json files and directories of them. The numbers are round, and the
# expected ones are computed by hand.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
ci() { "$build/libexec/assay/assay-ci" "$@"; }
compare() { "$build/libexec/assay/assay-compare" "$@"; }

# series DIRECTORY PROGRAM LABELS MS...: a series of one run for each number of milliseconds, with half as much CPU time,
# and as many kilobytes and page faults
series() {
    directory=$1
    mkdir -p "$directory"
    {
        printf '{"series": "00", "configuration": {"command": ["%s"], "mode": "time", "labels": {%s}}, "done": [' "$2" "$3"
        shift 3
        number=0
        for ms in "$@"; do
            [ $((number += 1)) -eq 1 ] || printf ,
            printf '{"run": %d, "clock": "none", "interrupted": false, "traces": [],' $number
            printf '"exit": {"status": 0, "signal": null, "wall_ns": %d000000, "user_ns": %d00000,' "$ms" $((ms * 4))
            printf '"system_ns": %d00000, "max_rss_bytes": %d000, "minor_faults": %d, "major_faults": 0}}\n' "$ms" "$ms" "$ms"
        done
        printf ']}\n'
    } >"$directory/series.json"
}
rows() { tail -n +2 "$1" | cut -f "$2" | tr '\t\n' ';|'; }

series raw/a ./prog '' 100 200 300
series raw/b ./prog '' 300 400 500
ci --format tsv raw/a/series.json >out 2>err
is "$? $(cat err)" '0 ' 'ci of a series.json: status 0, no warning'
is "$(head -1 out | cut -f 1-4 | tr '\t' ';')" 'name;metric;n;mean' '  the command is the group'
is "$(rows out 1-4)" './prog;wall_time;3;0.2|./prog;cpu_time;3;0.1|./prog;max_rss;3;0.2|./prog;page_faults;3;200|' \
    '  metrics are wall and CPU time, memory and faults'
ci raw/a/series.json >out
like out '^units: wall_time in s, cpu_time in s, max_rss in MB, page_faults in faults$' '  with their units'
ci --format tsv --value user_time raw/a/series.json >out
is "$(rows out 1-3)" './prog;3;0.08|' '--value user_time'
ci --format tsv --value wall_time raw >out 2>err
is "$(rows out 1-4)" './prog;a;3;0.2|./prog;b;3;0.4|' 'a directory of directories of series: each is a group'
ci --format tsv --value wall_time raw/a >out
is "$(rows out 1-3)" './prog;3;0.2|' 'a directory that holds a series.json is that file'
ci --format tsv --value wall_time raw/*/series.json >out
is "$(rows out 1-4)" 'raw/a/series.json;./prog;3;0.2|raw/b/series.json;./prog;3;0.4|' 'several files: each is a group'
ci --format tsv --value wall_time --by name raw/*/series.json >out
is "$(rows out 1-3)" './prog;6;0.3|' '--by name pools them'

compare --format tsv raw/a/series.json raw/b/series.json >out 2>err
is "$?" 0 'compare of two series: status 0'
ratios() { cut -f "$(head -1 out | tr '\t' '\n' | grep -nx 'metric\|name\|baseline\|ratio' | cut -d: -f1 | paste -sd,)" out >columns; }
ratios
is "$(rows columns 1,2,4)" \
    'wall_time;raw/b/series.json, ./prog;2|cpu_time;raw/b/series.json, ./prog;2|max_rss;raw/b/series.json, ./prog;2|page_faults;raw/b/series.json, ./prog;2|' \
    '  the means of all four metrics have twice the values'

# labels
series gc/one java '"gc": "serial", "heap": "1g"' 100 200 300
series gc/two java '"gc": "g1", "heap": "1g"' 300 400 500
ci --format tsv --value wall_time gc >out
is "$(rows out 1-5)" 'java;gc=serial, heap=1g;one;3;0.2|java;gc=g1, heap=1g;two;3;0.4|' 'labels are a column'
ci --format tsv --value wall_time --by gc gc/*/series.json >out
is "$(rows out 1-3)" 'serial;3;0.2|g1;3;0.4|' '--by LABEL groups by it'
ci --format tsv --value wall_time raw/a/series.json gc/one/series.json >out 2>err
is "$? $(rows out 1-4)" '0 gc/one/series.json;java;gc=serial, heap=1g;3|raw/a/series.json;./prog;;3|' \
    'a series with labels and one without make a table'
compare --value wall_time --format tsv gc/one/series.json gc/two/series.json >out 2>err
ratios
is "$(rows columns 1-3)" 'gc/two/series.json, java, gc=g1, heap=1g;gc/one/series.json, java, gc=serial, heap=1g;2|' \
    'compare: series that differ in their labels are compared'
compare --value wall_time gc/one/series.json gc/two/series.json >out 2>err
like out 'their names differ, but they are the only ones of their files' '  a note says so'
cp -r gc old
compare --value wall_time --format tsv old gc >out 2>err
ratios
is "$(rows columns 1-3)" \
    'gc, java, gc=serial, heap=1g, one;old, java, gc=serial, heap=1g, one;1|gc, java, gc=g1, heap=1g, two;old, java, gc=g1, heap=1g, two;1|geomean;geomean;1|' \
    'compare of directories: series of the same name, labels and directory are compared'

# series that differ in more than their labels
conditions() { sed "s/\"mode\": \"time\"/\"mode\": \"time\", $2/" raw/a/series.json >"$1"; }
mkdir same
conditions same/a.json '"environment": {"HOME": "00000001", "JAVA_TOOL_OPTIONS": "00000002"}'
conditions same/b.json '"environment": {"HOME": "00000001", "JAVA_TOOL_OPTIONS": "00000003", "LANG": "00000004"}'
conditions same/c.json '"environment": {"HOME": "00000001", "JAVA_TOOL_OPTIONS": "00000002"}'
ci --format tsv --value wall_time --by name same/a.json same/b.json >out 2>err
is "$? $(cat err)" '0 assay-ci: same/b.json: its runs share a group with runs that differ in environment variable JAVA_TOOL_OPTIONS, environment variable LANG; --by-file, or labels in --by, keep them apart' \
    'a group of runs in different environments: a warning names the variables'
ci --format tsv --value wall_time --by name same/a.json same/c.json >out 2>err
is "$? $(cat err)" '0 ' '  none if the environments are equal'
ci --format tsv --value wall_time same/a.json same/b.json >out 2>err
is "$? $(cat err)" '0 ' '  nor if the groups are'

mkdir same/a same/b
cp same/a.json same/a/series.json && cp same/b.json same/b/series.json
ci --format tsv --value wall_time --by name same >out 2>err
like err 'differ in .*; directory, or labels in --by, keep them apart' 'a directory of such series: the advice is another one'
ci --format tsv --value wall_time --by name,directory same >out 2>err
is "$? $(cat err)" '0 ' '  which works'
echo '{' >same/b/series.json
ci --value wall_time same >out 2>err
is "$? $(wc -l <out)" '1 0' 'a damaged series below a directory is not left out'
like err '^assay-ci: same: b/series.json: ' '  a line names it'

# what does not count
mkdir failed
sed 's/"status": 0/"status": 3/' raw/a/series.json >failed/series.json
ci failed >out 2>err
is "$? $(cat err)" '1 assay-ci: failed: no measured values: 3 runs failed (exit status 3)' \
    'a series of which all runs failed: one line'
sed '2s/"status": 0/"status": 3/' raw/a/series.json >failed/series.json
ci --format tsv --value wall_time failed >out 2>err
is "$(rows out 2-3)" '2;0.2|' 'a failed run is left out'
like err '1 of 3 rows were left out; the first: failed: 1 run failed \(exit status 3\)' '  a warning counts it'
mkdir -p raw/a/profile
sed 's/"series": "00"/"series": "01", "profile_of": "00"/' raw/a/series.json >raw/a/profile/series.json
ci --format tsv --value wall_time raw >out
is "$(rows out 1-4)" './prog;a;3;0.2|./prog;b;3;0.4|' 'the CPU profile of a series is not another series'
sed 's/"mode": "time"/"mode": "cpu"/' raw/a/series.json >failed/series.json
ci failed >out 2>err
like out 'recorded runs.*include what recording costs' 'a note says that recording costs time'
head -c 300 raw/a/series.json >failed/series.json
ci failed >out 2>err
is "$?" 1 'a cut series.json: status 1'
like err '^assay-ci: failed: line [0-9]+.*$' '  one line says where'

done_testing
