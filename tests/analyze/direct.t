#!/bin/sh
# Profiles of other tools as inputs of every analyzer, without a trace in between: the same result as with one. The
# profiles and their values are those of profiles.py: main;a 30, main;b 50, main;b;c 20.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_trace
programs=$build/libexec/assay
python3 "$root/tests/analyze/profiles.py" .
mkdir out
hot() {
    "$programs/assay-hot" --format csv "$@" 2>err
}
# rows [FIELDS]: a table without its header, in one line
rows() {
    tail -n +2 | cut -d, -f"${1:-1-3}" | tr '\n' ' '
}

# --- every format, by every program ---
for format in folded perf perf_columns simpleperf pprof pprof.gz otlp otlp_old otlp_bare otlp_json otlp_json_old firefox firefox.gz \
    firefox_old gecko devtools gperftools jfr speedscope cpuprofile cpuprofile_old heapprofile chrome chrome_calls \
    chrome_v8 tree gprof callgrind csv xctrace; do
    is "$(hot $format | rows) $?" '1,b,0.5 2,a,0.3 3,c,0.2  0' "hot reads $format"
done
is "$("$programs/assay-export" --to folded jfr | tr '\n' ' ')" 'main;a 30 main;b 50 main;b;c 20 ' 'export reads a profile'
"$programs/assay-import" -q -o out/jfr.trace jfr 2>/dev/null
for verb in 'intervals --format csv' 'rate --format csv' 'dump' 'dump --kind frame' 'export --to speedscope'; do
    # shellcheck disable=SC2086
    "$programs"/assay-$verb jfr 2>err >direct
    # shellcheck disable=SC2086
    "$programs"/assay-$verb out/jfr.trace 2>/dev/null | sed 's,out/jfr.trace,jfr,; s,jfr.trace,jfr,' >imported
    cmp -s direct imported
    ok $? "$verb: a profile gives what the trace of it gives" || diff direct imported | head -5 | sed 's/^/# /'
done
"$programs/assay-info" jfr >said 2>err
is "$? $(sed -n 1p said | cut -d: -f1) $(awk '$3 == 100 { print $1, $NF }' said)" '0 jfr 77 worker' 'info reads a profile'
is "$(hot - <pprof.gz | rows)" '1,b,0.5 2,a,0.3 3,c,0.2 ' 'standard input may be a profile'
"$programs/assay-hot" --format json - <folded 2>err >said
like said '"input": \["-"\]' '  which the result calls -'
"$programs/assay-agree" --format csv pprof.gz folded 2>err >said
is "$? $(rows 1,2,3,4,5,9 <said)" '0 folded,pprof.gz,b,b,yes,0 ' 'agree compares two profiles, whose tools are not known'
printf 'java/util/A.f 1\n' >slashes
printf 'java.util.A.f 1\n' >dots
"$programs/assay-agree" --format csv slashes dots 2>err >said
is "$(rows 3,9 <said)" 'java.util.A.f,0 ' '  names are made the same'
"$programs/assay-agree" --format csv --raw-names slashes dots 2>err >said
is "$(rows 3,4,9 <said)" 'java.util.A.f,java/util/A.f,1 ' '  unless they are to be kept'
cp folded other
"$programs/assay-agree" --format csv folded other 2>err >said
is "$? $(rows 1,2,9 <said)" '0 folded,other,0 ' '  also of one format'
"$programs/assay-phases" jfr >said 2>err
is "$? $(grep -c 'no events: record them' err)" '1 1' 'phases says that a profile has no events'

if command -v bash >/dev/null; then
    is "$(bash -c '"$1"/assay-hot --format csv <(cat folded) <(cat jfr)' - "$programs" 2>err | rows 2,7,8)" \
        'b,100,2 a,60,2 c,40,2 ' 'pipes of the shell may be profiles'
    is "$(bash -c '"$1"/assay-hot --format csv <(cat out/jfr.trace)' - "$programs" 2>err | rows 2,7)" 'b,50 a,30 c,20 ' \
        '  and traces'
fi

# --- packed ---
for packer in gzip xz zstd lz4; do
    command -v $packer >/dev/null || continue
    $packer -q -c jfr >packed 2>err
    is "$(hot packed | rows)" '1,b,0.5 2,a,0.3 3,c,0.2 ' "a recording of JFR packed by $packer"
    cat packed packed >twice
    $packer -q -c folded >packed 2>err
    cat packed packed >twice
    is "$(hot twice | rows 2,7)" 'b,100 a,60 c,40 ' "  two parts, one after the other, are both read: $packer"
    head -c $(($(wc -c <twice) - 3)) twice >cut
    hot cut >said
    is "$? $(grep -c "$(echo $packer | sed 's/gzip/gz/; s/zstd/zst/') data is cut" err)" '1 1' "  a cut is told: $packer"
done

# --- several profiles in a file ---
is "$(hot jfr_types | rows 2,7)" 'b,50 a,30 c,20 ' 'of several profiles in a file the one for CPU time is used'
"$programs/assay-hot" --format json jfr_types >said 2>err
is "$(grep -c 'jfr_types: .*holds several profiles; this is jdk.ExecutionSample, and --profile chooses another: .*jdk.MethodTrace' said)" 1 \
    '  and a note names the others'
is "$(hot --profile jdk.MethodTrace jfr_types | rows 2,7)" 'c,8000 ' '--profile chooses another'
is "$("$programs/assay-export" --to folded --profile jdk.MethodTrace jfr_types 2>/dev/null)" 'main;b;c 8000' '  of export, too'
hot --profile none jfr_types >said
is "$? $(grep -c "jfr_types: holds no profile 'none', but: .*jdk.MethodTrace" err)" '1 1' '  an unknown one is an error that names them'
python3 -c 'import sys
sys.path.insert(0, sys.argv[1])
import profiles
print(profiles.chrome_v8(("0x1", "0x2")))' "$root/tests/analyze" >two.json
is "$(hot two.json | rows 2,7,8)" 'b,100,1 a,60,1 c,40,1 ' 'profiles of two isolates in a file are one run'
"$programs/assay-hot" --format json two.json >said 2>err
like said '"input": \["two.json"\]' '  and one input'
is "$("$programs/assay-intervals" --format csv two.json 2>err | rows 1,4)" 'two.json (samples-7-0x1),99 two.json (samples-7-0x2),99 ' \
    '  whose threads do not mix'

# --- order, threads, states ---
printf 'run 1 1 1 main;b\nrun 2 2 2 main;a\n' | "$build/tests/make_trace" a.trace clock=random
"$programs/assay-hot" --format json -j1 two.json a.trace folded jfr gprof >one 2>err
for jobs in 2 7; do
    ASSAY_PART_RECORDS=7 "$programs/assay-hot" --format json -j$jobs gprof jfr folded a.trace two.json >other 2>err
    cmp -s one other
    ok $? "traces and profiles in any order, -j $jobs: the same bytes"
done
"$programs/assay-hot" --save-state first.state two.json folded 2>err
"$programs/assay-hot" --save-state last.state a.trace jfr gprof 2>err
"$programs/assay-hot" --format csv first.state last.state 2>err >states
"$programs/assay-hot" --format csv a.trace folded gprof jfr two.json 2>err | cmp -s - states
ok $? 'saved states of profiles give the same table'
grep -q '"input":\["folded","two.json"\]' first.state
ok $? '  and name the profiles'
hot folded ./folded >said
is "$? $(rows 2,7 <said) $(grep -c 'is the same file as' err)" '0 b,50 a,30 c,20  1' 'a profile that is given twice counts once'

# --- what an import tells ---
head -c $(($(wc -c <jfr) - 40)) jfr >cut.jfr
head -c $(($(wc -c <chrome) / 2 + 150)) chrome >cut.json
head -n 2 folded >short
echo 'and this is no stack' >>short
hot short >said
is "$? $(rows 2,7 <said)" '1 b,50 a,30 ' 'a profile with a bad line: status 1, and the rest is read'
like err '^assay-hot: short: line 3: ' '  and its place is told'
hot --keep-going short >said
is "$?" 0 '  --keep-going: status 0'
"$programs/assay-hot" --format json short >said 2>err
is "$(grep -c '"warnings": \["short: line 3: .*1 such place in all' said) $(grep -c '"unfinished_traces": 1' said)" '1 1' \
    '  the result has the warning'
"$programs/assay-hot" --save-state short.state short 2>err
hot short.state >said
is "$? $(grep -c 'short.state: was made from damaged or cut traces' err)" '1 1' '  also through a state'
hot cut.jfr >said
is "$? $(grep -c '^assay-hot: cut.jfr: ' err)" '1 1' 'a recording that is cut'
"$programs/assay-dump" short >said 2>err
is "$? $(wc -l <said) $(grep -c '^assay-dump: short: line 3: ' err)" '1 3 1' 'dump tells damage of a profile'
"$programs/assay-dump" --keep-going short >said 2>err
is "$?" 0 '  --keep-going: status 0'
hot jfr_types >said 2>err
"$programs/assay-hot" --profile jdk.CPUTimeSample jfr_types >said 2>err
is "$? $(grep -c 'jfr_types: 5 records (55.6 %) were lost while recording' said)" '0 1' 'what the recorder lost is in the result'
"$programs/assay-hot" --format json pprof_weights >said 2>err
is "$(grep -c "\"notes\": .*pprof_weights: its samples weigh 'time'; --weight chooses others: objects, space" said)" 1 'what an import notes is a note of the result'
cp pprof_weights again
"$programs/assay-hot" --format json again pprof_weights >said 2>err
is "$(grep -o 'again[^"]*: its samples' said)" 'again and 1 more: its samples' '  once, if it is the same for several'
hot nothing folded >said
is "$? $(rows 2,7 <said) $(grep -c 'nothing: No such file' err)" '1 b,50 a,30 c,20  1' 'a missing profile among others'

# --- nothing is left behind ---
mkdir tmp
TMPDIR=$scratch/tmp hot jfr two.json folded >said
is "$?$(ls tmp)" 0 'temporary files have no names'
awk 'BEGIN { for (i = 0; i < 400000; i++) print "main;f" i % 1000 ";g" i % 7 " 1" }' >large
TMPDIR=$scratch/tmp "$programs/assay-hot" large >said 2>err &
pid=$!
kill -KILL $pid
wait $pid 2>/dev/null
is "$(ls tmp)" '' '  so a process that is killed leaves none'
TMPDIR=$scratch/none hot folded >said
is "$? $(grep -c "$scratch/none.*No such file" err)" '1 1' 'without room for temporary files: one line that names the folder'
is "$(ls ./*.trace)" ./a.trace 'no trace is left'
done_testing
