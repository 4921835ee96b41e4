#!/bin/sh
# assay import of pprof: frames that the file drops, values of which there are several, none, or negative ones, and the
# threads in labels. Each file is made here from a few samples, so that the answers can be counted.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
programs=$build/libexec/assay
import() {
    rm -rf out
    mkdir out
    "$programs/assay-import" -o out/ "$@" >said 2>err
}
folded() {
    "$programs/assay-export" --to folded out/*.trace 2>/dev/null | tr '\n' ' '
}
hot() {
    "$programs/assay-hot" --format csv out/*.trace 2>/dev/null | cut -d, -f2,7 | tail -n +2 | tr '\n' ' '
}
# threads: TID:NAME of each
threads() {
    "$programs/assay-info" out/*.trace 2>/dev/null |
        awk '$1 == "samples" { on = 0 } on { tid = $1; $1 = $2 = $3 = $4 = ""; sub(/^ */, ""); print tid ":" $0 } $1 == "tid" { on = 1 }' |
        sort -n | tr '\n' ' '
}
# made FILE ARGUMENTS...: what pprof_of() of profiles.py makes of the arguments, which are written in Python
made() {
    python3 -c "import sys
sys.path.insert(0, sys.argv[1])
import profiles
sys.stdout.buffer.write(profiles.pprof_of($2))" "$root/tests/analyze" >"$1"
}

# --- frames that are dropped ---
# drops WHAT WANTED DROP KEEP: of 100 samples of main;new;alloc;lock, 50 of main and 7 of alloc;main
drops() {
    made x.pb "[('space', 'bytes')], [('main;new;alloc;lock', [100], {}), ('main', [50], {}), ('alloc;main', [7], {})], drop_frames=r'$3', keep_frames=r'$4'"
    import x.pb
    is "$? $(folded)" "0 $2" "$1"
}
drops 'a function that drop_frames names is dropped with what it calls; a stack does not lose its outermost frames' \
    'alloc;main 7 main 150 ' 'new|alloc' ''
like err "the file's drop_frames 'new.alloc' names, and what they call, were dropped from 1 sample$" '  a line tells it'
is "$(hot)" 'main,157 ' '  assay hot: 100 + 50 + 7 in main'
drops 'an expression has to match the whole name' 'alloc;main 7 main 50 main;new;alloc 100 ' 'loc|l.*' 'alloc'
drops 'keep_frames wins' 'alloc;main 7 main 50 main;new 100 ' 'n.w|al+oc' 'new'
drops 'neither matches: nothing is dropped' 'alloc;main 7 main 50 main;new;alloc;lock 100 ' 'mai' ''
is "$(cat err)" '' '  and no line tells anything'
# What RE2 has and POSIX does not: groups without a number, classes by letter, lazy counts, quoting, a lone caret in a list
drops '(?:…), \w and lazy counts' 'alloc;main 7 main 150 ' '(?:n\w+?|x)' ''
drops 'a class in a list' 'alloc;main 7 main 150 ' '[\w.\-]{3}' ''
drops 'a named group, anchors and a quoted part' 'alloc;main 7 main 50 main;new;alloc 100 ' '(?P<n>\A^\Qlock\E$\z)' ''
drops 'an inverse list' 'alloc;main 7 main 150 ' '[^a-dlm][^\d]*' ''
drops 'a lone caret in a list matches nothing else' 'alloc;main 7 main 50 main;new;alloc;lock 100 ' '[\^]ew' ''
drops 'an expression that is not understood drops nothing' 'alloc;main 7 main 50 main;new;alloc;lock 100 ' '(?i)NEW' ''
like err "drop_frames and keep_frames were not applied: '[(][?]i[)]NEW' is not understood: a group with flags" '  a line tells it'
drops 'nor does one whose counts would fill the memory' 'alloc;main 7 main 50 main;new;alloc;lock 100 ' "$(printf '(%0400d){900}|new' 0)" ''
like err "is not understood: its size" '  a line tells it'
made args.pb "[('n', 'count')], [('main;ns::(anonymous namespace)::f(int);g', [1], {})], drop_frames=r'ns::\(anonymous namespace\)::f'"
import args.pb
is "$(folded)" 'main 1 ' 'the arguments of a function do not belong to its name'

# --- several values, and none ---
made two.pb "[('samples', 'count'), ('cpu', 'ns'), ('wall', 'ns')], [('main;a', [3, 300, 0], {}), ('main;b', [1, 100, 0], {})]"
import two.pb
is "$? $(folded)" '0 main;a 300 main;b 100 ' 'the last type of values is all zero: the one before it is used'
is "$(cat err)" "assay-import: two.pb: its samples weigh 'cpu'; --weight chooses others: samples; values that are all zero are passed over: wall" \
    '  a line tells it'
made default.pb "[('a', 'count'), ('b', 'count'), ('c', 'count')], [('main', [0, 0, 5], {})], default_type='b'"
import default.pb
is "$? $(folded)" '0 main 5 ' 'the default type is all zero: the last that is not is used'
import --profile wall two.pb
is "$? $(ls out) $(grep -c 'holds no sample' err)" '1  1' 'a type that is asked for and is all zero: status 1, no trace'
is "$(cat said)" 'pprof, wall: no sample, so no trace; 2 of weight 0 left out' '  a line says what there was'
import --keep-going --profile wall two.pb
is "$? $(ls out)" '1 ' '  with --keep-going, too, since nothing was read'
"$programs/assay-import" -q --profile wall -o none.trace two.pb >said 2>err
is "$? $(ls | grep -c '^none')" '1 0' '  neither with -o, nor is a temporary file left'

# --- differences ---
# a: 50 - 20 = 30; b: 10 - 10 = 0; c: 5 - 12 = -7
made diff.pb "[('samples', 'count'), ('cpu', 'ns')], [('main;a', [5, 50], {}), ('main;b', [1, 10], {}), ('main;c', [1, 5], {}), ('main;a', [-2, -20], {'pprof::base': 'true'}), ('main;b', [-1, -10], {'pprof::base': 'true'}), ('main;c', [-1, -12], {'pprof::base': 'true'})]"
import diff.pb
is "$? $(folded)" '0 main;a 30 ' 'negative values: the net of each stack'
like err "'cpu' has negative values, as the difference of two profiles has: the net of each stack was imported, 30 in all; 1 stack, with a net of -7 in all, is left out" \
    '  a line tells the net, and what is left out'
import --profile samples diff.pb
is "$? $(folded)" '0 main;a 3 ' '  so for the type that is asked for: 5 - 2'
made apart.pb "[('cpu', 'ns')], [('main', [9], {'tid': 1}), ('main', [-4], {'tid': 2}), ('main', [-2], {'tid': 1})]"
import apart.pb
is "$? $(folded) $(grep -c '1 stack, with a net of -4' err)" '0 main 7  1' '  threads have nets of their own'
made less.pb "[('cpu', 'ns')], [('main', [-4], {})]"
import less.pb
is "$? $(ls out) $(grep -c 'net of -4 in all, is left out' err) $(grep -c 'holds no sample' err)" '1  1 1' \
    'only negative values: status 1, and no trace'

# The same in other formats: a 30 - 20 = 10, b 50, c 20 - 60 = -40.
mkdir others
python3 - "$root/tests/analyze" <<'END'
import json, sys
sys.path.insert(0, sys.argv[1])
import profiles
profiles.STACKS = [(("main", "a"), 30), (("main", "b"), 50), (("main", "b", "c"), 20), (("main", "a"), -20), (("main", "b", "c"), -60)]
profiles.varint = lambda n, varint=profiles.varint: varint(n % 2**64)
profiles.write("others", "otlp", profiles.otlp_old())
profiles.write("others", "otlp_json", profiles.otlp_json_old())
profiles.write("others", "speedscope", profiles.speedscope())
one = json.loads(profiles.firefox_old())
one["threads"][0]["samples"] = {"stack": [1, 2, 3, 1, 3], "time": [1, 2, 3, 4, 5], "weight": [30, 50, 20, -20, -60], "weightType": "samples"}
profiles.write("others", "firefox", json.dumps(one))
END
for format in otlp otlp_json speedscope firefox; do
    import others/$format
    is "$? $(folded)" '0 main;a 10 main;b 50 ' "$format: the net of negative values"
    is "$(grep -c 'the net of each stack was imported.*, 60 in all; 1 stack, with a net of -40 in all, is left out' err)" 1 '  a line tells it'
done

# --- threads ---
# labelled WHAT WANTED LABELS...: a sample for each set of labels
labelled() {
    what=$1 wanted=$2
    shift 2
    samples=
    for labels; do samples="$samples('main', [1], {$labels}), "; done
    made labels.pb "[('cpu', 'ns')], [$samples]"
    import labels.pb
    is "$? $(threads)" "0 $wanted" "$what"
}
labelled 'numbers: tid, thread_id, thread' '1: 2: 3: ' "'tid': 1" "'thread_id': 2" "'thread': 3"
labelled 'numbers as texts' '17: 18: ' "'thread_id': '17'" "'thread id': '18 (4)'"
labelled 'names' '0:a 0:b 0:c d ' "'thread': 'a'" "'thread_name': 'b'" "'thread name': 'c d'"
labelled 'a number and a name' '5:main 6:main ' "'tid': 5, 'thread': 'main'" "'thread_name': 'main', 'thread_id': '6'"
labelled "a text in place of a number is a name" '0:pool-1 7:real ' "'tid': 'pool-1'" "'tid': 'x', 'thread id': 7, 'thread': 'real'"
labelled "the operating system's number counts" '99:w ' "'thread native id': 99, 'thread id': '3', 'thread name': 'w'"
labelled 'the same thread in several samples is one' '5:w ' "'tid': 5, 'thread': 'w'" "'thread': 'w', 'tid': 5"
is "$(grep -c 'not known: .*threads' said) $(cat err)" '0 ' '  and no line says that threads are not known'
python3 - "$root/tests/analyze" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
import profiles
data = profiles.otlp_json_old()
for name, changed in (("text", data.replace('{"intValue": 77}', '{"stringValue": "77"}')), ("label", data.replace("thread.id", "tid"))):
    assert changed != data
    profiles.write("others", name, changed)
END
for file in text label; do
    import others/$file
    is "$? $(threads)" '0 77:worker ' "OTLP: the number of a thread as a $file"
done
labelled 'other labels are no threads' '0: ' "'bytes': 64, 'region': 'x'"
is "$(grep -c 'not known: times, threads, period, runs' said) $(grep -c 'labels that are no threads were left out: bytes, region' err)" \
    '1 1' '  a line says that threads are not known, and what was left out'

done_testing
