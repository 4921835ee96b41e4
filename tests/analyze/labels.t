#!/bin/sh
# The same words everywhere: --by takes the same labels in every program that reads traces, and files and directories in
# those that read tables. Roles of threads: one role for one job, and --roles and --without of assay hot.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_trace tests/make_pairs
programs=$build/libexec/assay
make_trace=$build/tests/make_trace
hot() {
    "$programs/assay-hot" "$@" 2>err
}
# samples THREAD COUNT STACK
samples() {
    awk -v thread="$1" -v n="$2" -v stack="$3" 'BEGIN { for (i = 0; i < n; i++) print thread, i, i * 10, i * 10, stack }'
}
labels='clock command directory engine file label mode profiler program z'

# Two recordings that differ in every label: x of a and x of b, one run each.
mkdir one two
for d in one two; do
    { samples main 30 'main;f'; samples main 10 'main;g'; } >lines
    "$make_trace" $d/x.trace series=$d run=1 clock=clock-$d "command=[\"$d\",\"-v\"]" engine=engine-$d mode=mode-$d profiler=profiler-$d \
        exe=/bin/program-$d "labels={\"z\":\"$d\",\"a\":\"1\"}" period_ns=10000000 period_unit=ns <lines
    for amount in 100 200; do
        for run in 1 2; do
            "$make_trace" $d/point-$amount-$run.trace series=$d-$amount run=$run clock=clock-$d "command=[\"$d\"]" engine=engine-$d mode=mode-$d \
                profiler=profiler-$d exe=/bin/program-$d "labels={\"z\":\"$d\"}" "inject={\"method\":\"f\",\"work\":\"fib\",\"amount\":$amount,\"run\":$run}" \
                "exit={\"status\":0,\"signal\":null,\"wall_ns\":$((amount * 1000000 + run)),\"user_ns\":$((amount * 1000000 + run)),\"system_ns\":0}" <lines
        done
    done
    printf '%s\n' 'total main 1 0 1 100' 'pair main 0 0 f:1 g:2 - 0 1 1 50 50' |
        "$build/tests/make_pairs" $d/waste.trace series=$d run=1 clock=clock-$d "command=[\"$d\",\"-v\"]" engine=engine-$d mode=mode-$d \
            profiler=profiler-$d exe=/bin/program-$d "labels={\"z\":\"$d\",\"a\":\"1\"}"
done
# value LABEL DIRECTORY FILE: what the label of a trace there is
value() {
    case $1 in
    directory) echo "$2" ;;
    file) echo "$2/$3" ;;
    command) echo "$2 -v" ;;
    label) echo "a=1,z=$2" ;;
    z) echo "$2" ;;
    *) echo "$1-$2" ;;
    esac
}
for label in $labels; do
    hot --by "$label" --format tsv one/x.trace two/x.trace >out
    is "$(cut -f 1,3,4 out)" "$(printf '%s\tmethod\tshare\n' "$label"
        for d in one two; do printf '%s\tf\t0.75\n%s\tg\t0.25\n' "$(value "$label" $d x.trace)" "$(value "$label" $d x.trace)"; done)" "hot --by $label"
    "$programs/assay-waste" --by "$label" --format tsv one/waste.trace two/waste.trace >out 2>err
    is "$(cut -f 1 out)" "$(printf '%s\n' "$label" "$(value "$label" one waste.trace)" "$(value "$label" two waste.trace)")" "waste --by $label"
    "$programs/assay-agree" --by "$label" --format tsv one/x.trace two/x.trace >out 2>err
    is "$(tail -n 1 out | cut -f 1,2)" "$(printf '%s\t%s' "$(value "$label" one x.trace)" "$(value "$label" two x.trace)")" "agree --by $label"
    "$programs/assay-causality" --by "$label" --points --format tsv one/point-100-1.trace two/point-100-1.trace >out 2>err
    is "$(tail -n +2 out | cut -f 1 | wc -l)" 2 "causality --by $label: both points"
done
"$programs/assay-causality" --by directory --format tsv one/point*.trace two/point*.trace >out 2>err
is "$(tail -n +2 out | cut -f 1 | sort -u)" "$(printf 'one\ntwo')" 'causality --by directory: slopes of each'
for program in hot waste agree causality rate; do
    traces='one/point*.trace two/point*.trace'
    [ $program = waste ] && traces=one/waste.trace
    # shellcheck disable=SC2086
    "$programs/assay-$program" --by directroy $traces >out 2>err
    is "$? $(grep -c "by directroy: no input has a label of this name (did you mean directory?); there are: clock, command, directory" err)" '1 1' \
        "$program: a label that no trace has gives no result: status 1"
    "$programs/assay-$program" --by '' $traces >out 2>err
    is "$?" 2 "$program: no label is bad usage"
done
for d in one two; do samples main 10 'main;f' | "$make_trace" $d/named.trace series=$d run=1 clock=c "labels={\"method\":\"$d\"}"; done
hot --by method --format tsv one/named.trace two/named.trace >out
is "$(head -n 1 out | cut -f 1-3) $(tail -n 1 out | cut -f 1)" "$(printf 'by_method\trank\tmethod two')" 'a label that is called like a column is by_NAME'

# states keep the label that --by named
hot --by z --save-state one.state one/x.trace
hot --by z --save-state two.state two/x.trace
hot --by z --format tsv one/x.trace two/x.trace >out
is "$(hot --by z --format tsv two.state one.state)" "$(cat out)" 'hot: states have the label that they were saved with'
hot --by a one.state >out
is "$? $(cat err)" '1 assay-hot: one.state: was saved with --by z: use it likewise' '  and no other'
hot --format tsv one.state >out
is "$? $(cut -f 2 out | tail -n 1)" '0 g' '  without --by they are as good as any'
hot --save-state plain.state one/x.trace
hot --by z plain.state >out
is "$? $(cat err)" '1 assay-hot: plain.state: was saved without --by: use it likewise' '  others lack it'
"$programs/assay-causality" --by series --format tsv one/point*.trace two/point*.trace >out 2>err
is "$(cut -f 1 out | tail -n +2 | sort -u | tr '\n' ' ')" 'one-100 one-200 two-100 two-200 ' 'causality: another key of the metadata does'
hot --format tsv one/x.trace two/x.trace >out
like err 'these runs differ in clock; --by clock gives a table for each' 'hot: runs that differ in what they observe: a warning'
for d in one two; do samples main 10 f | "$make_trace" $d/same.trace series=$d run=1 clock=c "labels={\"version\":\"$d\"}"; done
hot --format tsv one/same.trace two/same.trace >out
like err 'these runs differ in label; --by label gives a table for each' '  or in a label of the recording'
hot --by label --format tsv one/same.trace two/same.trace >out
unlike err 'differ' '  --by label: none'
samples main 10 f | "$make_trace" bare.trace series=s run=1 clock=c
is "$(hot --by label --format tsv bare.trace | cut -f 1,3)" "$(printf 'label\tmethod\n\tf')" 'a recording without labels has the label ""'
is "$(hot --by directory --format tsv bare.trace | tail -n 1 | cut -f 1)" . 'the directory of a path without one is .'

# A run of two processes: f 30 and g 10 in one, f 20 in the other.
samples main 20 'main;f' | "$make_trace" child.trace series=one run=1 clock=clock-one exe=/bin/child
is "$(hot --by directory --format tsv one/x.trace child.trace | tail -n +2 | cut -f 1,3,4,8 | tr '\t\n' ', ')" '.,f,1,20 one,f,0.75,30 one,g,0.25,10 ' \
    'the processes of a run may be in several directories'
is "$(hot --by file --format tsv one/x.trace child.trace | tail -n +2 | cut -f 1,3,4,8 | tr '\t\n' ', ')" \
    'child.trace,f,1,20 one/x.trace,f,0.75,30 one/x.trace,g,0.25,10 ' '--by file: each process by itself'
is "$(hot --by clock --format tsv one/x.trace child.trace | tail -n +2 | cut -f 1,3,8,9 | tr '\t\n' ', ')" \
    'clock-one,f,50,1 clock-one,g,10,1 ' '--by clock: they are one run'

# States keep all labels but the file.
hot --save-state all.state one/x.trace two/x.trace
for label in clock directory label program; do
    hot --by "$label" --format tsv one/x.trace two/x.trace >direct
    hot --by "$label" --format tsv all.state >saved
    cmp -s direct saved
    ok $? "a saved state has --by $label"
done
hot --by file --format tsv all.state >out
like err 'a saved state has no files: save it with --by file' '  but not --by file, and a warning says so'
hot --by file --save-state files.state one/x.trace two/x.trace
hot --by file --format tsv one/x.trace two/x.trace >direct
hot --by file --format tsv files.state >saved
cmp -s direct saved
ok $? '  unless it was saved with it'

# --- tables ---
for d in one two; do
    for f in 1 2 3; do printf 'time\n%s\n%s\n' "$f" "$((f + 1))" >$d/$f.csv; done
done
is "$("$programs/assay-ci" --by directory --value time --format tsv one/?.csv two/?.csv 2>err | cut -f 1-3 | tr '\t\n' ', ')" \
    'directory,n,mean one,6,2.5 two,6,2.5 ' 'ci --by directory: the values of its files together'
unlike err '--by-file' '  no note that files are treated as one table'
is "$("$programs/assay-compare" --by directory --value time --format tsv two/?.csv one/?.csv 2>err | cut -f 1-3 | tail -n 1)" "$(printf 'one\ttwo\t6')" \
    'compare --by directory: the first one is the baseline'
is "$("$programs/assay-compare" --by directory --baseline one --value time --format tsv two/?.csv one/?.csv 2>err | cut -f 1 | tail -n 1)" two \
    '  or the one of --baseline'
is "$("$programs/assay-anova" --by directory --value time --groups --format tsv one/?.csv two/?.csv 2>err | cut -f 1 | tail -n +2 | tr '\n' ' ')" 'one two ' \
    'anova --by directory'
is "$("$programs/assay-warmup" --by directory --value time --format tsv one/?.csv two/?.csv 2>err | cut -f 1 | tr '\n' ' ')" 'directory one two ' \
    'warmup --by directory'
"$programs/assay-history" --by directory --value time one/?.csv two/?.csv >out 2>&1
like out '1 history, 2 commits' 'history --by directory: a directory is a commit'
for d in one two; do
    for f in 1 2; do printf '{"time":%s}\n{"time":%s}\n' "$f" "$f" >$d/$f.jsonl; printf '[{"time":%s},{"time":%s}]' "$f" "$f" >$d/$f.json; done
done
for form in jsonl json; do
    is "$("$programs/assay-ci" --by directory --value time --format tsv one/?.$form two/?.$form 2>err | cut -f 1-3 | tr '\t\n' ', ')" \
        'directory,n,mean one,4,1.5 two,4,1.5 ' "ci --by directory: $form"
done
printf 'directory,time\nmine,1\nmine,3\n' >own.csv
is "$("$programs/assay-ci" --by directory --value time --format tsv own.csv 2>err | cut -f 1-3 | tail -n 1)" "$(printf 'mine\t2\t2')" \
    'a column of the name comes first'
printf 'time,note\n1,a\n2,b,surplus,more,still\n3,c\n' >ragged.csv
is "$("$programs/assay-ci" --by directory --value time --skip-bad --format tsv ragged.csv 2>err | cut -f 1-3 | tail -n 1)" "$(printf '.\t2\t2')" \
    'rows with too many cells do not disturb it'

# --- roles ---
# 100 samples: 60 of Java, 20 of the compiler, 15 of the VM thread that collects, 5 of it that does not.
{
    samples main@java 40 'main;f'
    samples main@java 20 'main;g'
    samples C2@jit 20 '[JIT compiler]'
    samples VM@vm 10 'VM_GenCollectForAllocation::doit;memmove'
    samples VM@vm 5 '[garbage collector]'
    samples VM@vm 5 '[VM thread]'
} >all
"$make_trace" serial.trace series=s run=1 clock=random <all
is "$(hot --format tsv serial.trace | tail -n +2 | cut -f 2,3 | tr '\t\n' ', ')" 'f,0.4 [JIT compiler],0.2 g,0.2 memmove,0.1 [VM thread],0.05 [garbage collector],0.05 ' \
    'without --roles all threads count'
is "$(hot --roles java --format tsv serial.trace | tail -n +2 | awk -F '\t' '{ printf "%s %.6f %s;", $2, $3, $7 }')" 'f 0.666667 40;g 0.333333 20;' \
    '--roles java: shares of the samples of Java threads'
hot --roles java serial.trace >out
like out 'shares are of the samples that --roles and --without keep; 40.00 % are left out \(jit 20.00 %, gc 15.00 %, vm 5.00 %\)' \
    '  a note says what is left out, by role: the VM thread that collects has role gc'
is "$(hot --roles gc --format tsv serial.trace | tail -n +2 | awk -F '\t' '{ printf "%s %.6f;", $2, $3 }')" 'memmove 0.666667;[garbage collector] 0.333333;' \
    '--roles gc: what Serial GC does in the VM thread'
is "$(hot --roles gc,vm --format tsv serial.trace | tail -n +2 | awk -F '\t' '{ printf "%s %s;", $2, $7 }')" 'memmove 10;[VM thread] 5;[garbage collector] 5;' \
    '--roles gc,vm: both'
is "$(hot --roles gc --inclusive --format tsv serial.trace | tail -n +2 | awk -F '\t' '{ printf "%s %s;", $2, $7 }')" \
    'VM_GenCollectForAllocation::doit 10;memmove 10;[garbage collector] 5;' '--roles with --inclusive'
is "$(hot --roles java,jit,gc,vm --format tsv serial.trace | cut -f 2,3)" "$(hot --format tsv serial.trace | cut -f 2,3)" '  all roles: the same as none'
is "$(hot --without '[JIT compiler]' --without g --format tsv serial.trace | tail -n +2 | awk -F '\t' '{ printf "%s %.6f;", $2, $3 }')" \
    'f 0.666667;memmove 0.166667;[VM thread] 0.083333;[garbage collector] 0.083333;' '--without, twice: shares of the rest'
hot --without '[JIT compiler]' --without g serial.trace >out
like out '40.00 % are left out \(--without 40.00 %\)' '  a note says how much'
hot --without h --roles java serial.trace >out
like err "--without 'h': no method has this name" '--without a method that there is not: a warning'
hot --without C2 serial.trace >out
like err "--without 'C2': no method has this name" '  also if a thread has it'
hot --roles native serial.trace >out
is "$? $(cat err)" '1 assay-hot: 1 of 1 run has no samples that --roles and --without keep and is left out' 'no sample of the roles: status 1'
hot --roles java --save-state roles.state serial.trace
is "$(hot --roles gc --format tsv roles.state | cut -f 2,7)" "$(hot --roles gc --format tsv serial.trace | cut -f 2,7)" 'a saved state has all roles'
for arguments in '--roles java,gcc' '--roles java,' '--inclusive --without f'; do
    # shellcheck disable=SC2086
    hot $arguments serial.trace >out
    is $? 2 "bad usage: $arguments"
done
samples main 60 'main;f' | "$make_trace" folded.trace series=s run=1 clock=c 'imported={"format":"folded"}'
is "$(hot --roles unknown --format tsv folded.trace | tail -n 1 | cut -f 2,3)" "$(printf 'f\t1')" 'threads of an imported profile have an unknown role'

# One profiler sees Java and a thread of the collector, the other a JVM with Serial GC: both collect.
{ samples main@java 60 'main;f'; samples GC@gc 40 'Collect'; } | "$make_trace" parallel.trace series=p run=1 clock=fixed
"$programs/assay-agree" --format tsv parallel.trace serial.trace >out 2>err
like err 'random also sees other threads \(25.00 % of its samples\).*: java, gc' 'agree: collecting in the VM thread is compared, compilers and the VM are not'
done_testing
