#!/bin/sh
# --by of programs that have no such option of their own: each label has the rows that its traces have alone, in all
# tables; states, -j and the order of arguments change nothing.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_trace tests/make_accesses
programs=$build/libexec/assay
make_trace=$build/tests/make_trace
# calls SHORT LONG: forty calls of f, alternately short and long, with a call of g in each
calls() {
    awk -v short="$1" -v long="$2" 'function event(what, method) { print what, "main", now, method }
        BEGIN { now = 1000
            event("enter", "main")
            for (i = 0; i < 40; i++) {
                event("enter", "f"); now += i % 2 ? long : short
                event("enter", "g"); now += 7; event("exit", "g"); event("exit", "f")
            }
            event("exit", "main") }'
}
mkdir one two
for run in 1 2 3; do
    calls 20 $((100 + run)) | "$make_trace" one/$run.trace series=one run=$run clock=c mode=methods 'labels={"gc":"serial"}'
    calls 50 $((60 + run)) | "$make_trace" two/$run.trace series=two run=$run clock=c mode=methods 'labels={"gc":"g1"}'
done
for d in one two; do
    awk 'BEGIN { for (i = 1; i < 300; i++) printf "main %d %d0000000 %d0000000 main;f\n", i, i, i }' |
        "$make_trace" $d/samples.trace series=$d run=1 clock=thread-cpu period_ns=10000000 period_unit=ns "labels={\"gc\":\"$d\"}"
done

# alone DIRECTORY LABEL PROGRAM OPTION...: its rows, after the label
alone() {
    files=$1/$pattern label=$2 program=$3
    shift 3
    # shellcheck disable=SC2086
    "$programs/assay-$program" "$@" --format tsv $files 2>err | sed "1d; s/^/$label	/"
}
# same PROGRAM OPTION...: --by directory has the rows of both
same() {
    # shellcheck disable=SC2086
    "$programs/assay-$1" --by directory --format tsv $(shift && echo "$*") one/$pattern two/$pattern >out 2>err
    is "$? $(head -n 1 out | cut -f 1)" '0 directory' "$* --by directory: the first column is the label"
    { alone one one "$@" && alone two two "$@"; } >both
    is "$(tail -n +2 out)" "$(cat both)" "$*: the rows of each label are those of its traces alone"
}
pattern='[123].trace'
for view in '' --totals --anova --percentiles --components '--histogram f' --timeline --plane '--boxes time_ns'; do
    # shellcheck disable=SC2086
    same phases --weight 0 --grain 0 $view
done
for view in '' --contexts '--explain f' '--correlate f' '--instances f'; do
    # shellcheck disable=SC2086
    same variance $view
done
pattern=samples.trace
same rate --interval 500ms
same intervals
same intervals --acf

# labels of the recording, and what accompanies the tables
variance() {
    "$programs/assay-variance" "$@" 2>err
}
variance --by label --format tsv one/[123].trace two/[123].trace >out
is "$(cut -f 1 out | uniq | tr '\n' ' ')" 'label gc=g1 gc=serial ' 'labels are in order'
is "$(awk -F '\t' '$2 == "f" { print $1 }' out | sort -u | tr '\n' ' ')" 'gc=g1 gc=serial ' '  each with its functions'
"$programs/assay-phases" --by label --format json one/[123].trace two/[123].trace >out 2>err
is "$(python3 -c 'import json; s = json.load(open("out"))["summary"]; print(s["by"], *(i["label"] for i in s["labels"]), "overall_cov" in s["labels"][1])')" \
    'label gc=g1 gc=serial True' 'the summary has that of each label'
"$programs/assay-phases" --by label --format text one/[123].trace two/[123].trace >out 2>err
is "$(grep -c 'probes' out)" "$("$programs/assay-phases" --format text one/[123].trace 2>&1 | grep -c probes)" \
    'a note that is the same for all labels is there once'
like out 'gc=serial: ' 'another one names its label'

# states
variance --by label --save-state one.state one/[123].trace
variance --by label --save-state two.state two/[123].trace
variance --by label --format tsv one/[123].trace two/[123].trace >out
variance --by label --format tsv two.state one.state >states
is "$(cat states)" "$(cat out)" 'from states: the same bytes'
"$programs/assay-merge" -o both.state one.state two.state 2>err
is "$? $(cat err)" '0 ' 'assay merge joins them'
variance --by label --format tsv both.state >states
is "$(cat states)" "$(cat out)" '  to the same bytes'
variance --by label --format tsv -j 4 two/3.trace one/3.trace two/2.trace one/2.trace two/1.trace one/1.trace >shuffled
is "$(cat shuffled)" "$(cat out)" 'another order and -j 4: the same bytes'
variance --by directory both.state >out
is "$? $(grep -c 'both.state: was saved with --by label: use it likewise' err)" '1 1' 'a state of another label is refused'
variance both.state >out
is "$? $(grep -c 'both.state: was saved with --by label: use it likewise' err)" '1 1' '  and one with labels where none are wanted'

# environments: what differs between runs with one result, and what keeps these apart
for i in 1 2; do
    mkdir env-$i
    for run in 1 2; do
        calls 20 100 | "$make_trace" env-$i/$run.trace series=env-$i run=$run clock=c mode=methods "environment={\"HOME\":\"1\",\"LANG\":\"$i\",\"ONLY_$i\":\"1\"}" \
            "labels={\"half\":\"$run\"}"
        echo 'main 1 10 10 f' | "$make_trace" env-$i/hot-$run.trace series=env-$i run=$run clock=c "environment={\"LANG\":\"$i\"}"
        echo 'main 1 10 10 f' | "$make_trace" env-$i/labelled-$run.trace series=env-$i run=$run clock=c "environment={\"LANG\":\"$run\"}" "labels={\"n\":\"$run\"}"
    done
done
variance --format tsv env-?/?.trace >out
is "$(cat err)" 'assay-variance: these runs differ in label; --by label gives a table for each
assay-variance: these runs differ in the environment variables LANG, ONLY_1, ONLY_2; --by directory gives a table for each' \
    'different environments: one warning names the variables and the label that separates them'
variance --by label --format tsv env-?/?.trace >out
is "$(cat err)" 'assay-variance: runs of the same table differ in the environment variables LANG, ONLY_1, ONLY_2; --by directory gives a table for each' \
    '  also within a table of --by'
variance --by directory --format tsv env-?/?.trace >out
is "$(cat err)" '' '  not if --by keeps them apart'
variance --save-state state env-1/?.trace
variance --format tsv state env-2/?.trace >out
like err 'environment variables LANG, ONLY_1, ONLY_2; --by directory' '  through saved states, too'
"$programs/assay-hot" --format tsv env-?/hot-?.trace >out 2>err
is "$(cat err)" 'assay-hot: these runs differ in the environment variable LANG; --by directory gives a table for each' 'hot warns'
"$programs/assay-hot" --by directory --format tsv env-?/hot-?.trace >out 2>err
is "$(cat err)" '' '  not with --by directory'
"$programs/assay-hot" --format tsv env-?/labelled-?.trace >out 2>err
like err 'environment variable LANG; --by label gives' 'labels that tell environments apart are suggested'
"$programs/assay-phases" --baseline env-1/ --format tsv env-?/?.trace >out 2>err
unlike err 'differ in' 'phases --baseline compares environments: no warning'

# bad usage
variance --by colour one/1.trace >out
is "$? $(grep -c -- '--by colour: no input has a label of this name' err)" '1 1' 'a label that no trace has gives no result'
variance --by serial one/1.trace >out
is "$?" 1 'a value of a label is no label'
variance --by gc --format tsv one/[123].trace two/[123].trace >out
is "$? $(cut -f 1 out | uniq | tr '\n' ' ')" '0 gc g1 serial ' 'one label of the recordings'
for option in '--baseline one' '--without one' '--select x'; do
    # shellcheck disable=SC2086
    "$programs/assay-phases" --by label $option one/1.trace two/1.trace >out 2>err
    is "$? $(grep -c 'leave --by out' err)" '2 1' "phases $option is about all traces: not with --by"
done
# A trace without events leaves the others their tables.
mkdir none
: | "$make_trace" none/1.trace series=none run=1 clock=c mode=methods
variance --by directory --format tsv one/[123].trace none/1.trace >out
is "$? $(cut -f 1 out | uniq | tr '\n' ' ')" '1 directory one ' 'a label without events has no rows: status 1'
like err 'none: no calls' '  and a warning with its name'
done_testing
