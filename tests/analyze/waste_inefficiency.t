#!/bin/sh
# assay waste --lines and --functions: the kind of inefficiency that a place looks like, from pairs made by hand.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_pairs tests/make_trace
waste() {
    "$build/libexec/assay/assay-waste" "$@" 2>err
}
# pairs: a trace out.trace of the pairs in the input, KIND FIRST SECOND LOOP EVENTS WASTED [VALUES]
pairs() {
    {
        echo 'total main 0 0 100000 800000'
        echo 'total main 1 0 100000 800000'
        while read -r kind first second loop events wasted values; do
            case $kind in dead) kind=0 ;; silent) kind=1 ;; load) kind=2 ;; esac
            echo "pair main $kind ${values:-0} $first $second $loop 0 $events $wasted $((events * 8)) $((wasted * 8))"
        done
    } | "$build/tests/make_pairs" out.trace mode=waste engine=exact fp_tolerance=0.01
}
# kinds: "LINE KIND" of the trace's lines, in order of their names
kinds() {
    waste --lines 0 --format csv out.trace >out
    python3 -c '
import csv
for row in sorted(csv.DictReader(open("out")), key=lambda row: row["line"]):
    print(row["line"], row["inefficiency"].replace(" ", "-") or "-")' | paste -s -d ' ' -
}
evidence() {
    python3 -c '
import csv, sys
for row in csv.DictReader(open("out")):
    if row["line"] == sys.argv[1]:
        print(row["evidence"])' "$1"
}

# A loop of main calls find, whose line loads the same elements in each call. The call itself loads something, so that
# calls can be counted.
pairs <<'END'
load main:4;find:6 main:4;find:6 main:3 800 800
load main:4 main:4 main:3 100 0
END
is "$(kinds)" 'find:6 linear-search-or-traversal' 'eight loads in a call: a traversal'
is "$(evidence find:6)" \
    '100 % of its loads in pairs repeat what an earlier iteration of the loop at main:3 loaded, about 8 accesses for each at the line that calls it.' \
    '  with the evidence'
pairs <<'END'
load main:4;find:6 main:4;find:6 main:3 799 799
load main:4 main:4 main:3 100 0
END
is "$(kinds)" 'find:6 repeated-load' '  fewer: no loop within the call is known'
pairs <<'END'
load main:4;find:6 main:4;find:6 main:3 800 800
END
is "$(kinds)" 'find:6 repeated-load' '  an unknown number: no more is said than that'
pairs <<'END'
load main:4;find:6 main:4;find:6 main:3 800 800
load main:4;find:6 main:4;find:6 find:5 100 100
END
is "$(kinds)" 'find:6 linear-search-or-traversal' '  a loop of the function itself is evidence, too'
pairs <<'END'
load main:4;hash_find:6 main:4;hash_find:6 main:3 800 800
load main:4 main:4 main:3 100 0
END
is "$(kinds)" 'hash_find:6 chained-lookup' '  in a function that is named after a hash table'
pairs <<'END'
load main:4;find:6 main:4;find:6 main:3 800 390
load main:4 main:4 main:3 100 0
END
is "$(kinds)" 'find:6 -' '  half of the loads are needed for a claim'

# Loops of the line's own function.
pairs <<'END'
load f:7 f:7 f:6 800 800
silent f:6 f:6 f:6 100 0
END
is "$(kinds)" 'f:7 linear-search-or-traversal' 'eight loads for one at the head of the loop: an inner loop'
pairs <<'END'
load f:7 f:7 f:6 799 799
silent f:6 f:6 f:6 100 0
END
is "$(kinds)" 'f:7 repeated-load' '  fewer: none is known'
is "$(evidence f:7)" '100 % of its loads in pairs repeat what an earlier iteration of the loop at f:6 loaded.' '  with the evidence'
pairs <<'END'
load f:6 f:6 f:6 800 800
load f:8 f:8 f:6 100 0
dead g:7 g:7 g:6 800 800
END
is "$(kinds)" 'f:6 repeated-load g:7 rewritten-unread' 'the head of a loop runs once in an iteration'
pairs <<'END'
load f:8 f:8 f:6 800 800
load f:6 f:6 main:3 100 0
load f:7 f:7 f:6 100 0
END
is "$(kinds)" 'f:8 repeated-load' '  what precedes the loop at its head, or is skipped in it, counts no iterations'
pairs <<'END'
load f:9 f:9 f:6 800 800
load f:8 f:8 f:7 800 0
END
is "$(kinds)" 'f:9 repeated-load' '  a loop that ends before the line does not repeat it'
pairs <<'END'
load f:9 f:9 f:6 800 800
load f:9 f:9 f:7 100 0
END
is "$(kinds)" 'f:9 linear-search-or-traversal' '  one that contains it does'
pairs <<'END'
load f:9 f:9 f:6 300 300
load f:9 f:9 f:5 299 299
END
is "$(kinds) $(evidence f:9)" \
    'f:9 repeated-load 100 % of its loads in pairs repeat earlier ones, for instance what an earlier iteration of the loop at f:6 loaded.' \
    'several loops: one is an instance'
pairs <<'END'
load f:5 f:9 f:6 300 300
load f:7 f:9 f:6 301 301
load f:8 f:9 f:6 301 301
END
is "$(kinds) $(evidence f:9)" \
    'f:9 repeated-load 100 % of its loads in pairs repeat what an earlier iteration of the loop at f:6 loaded, for instance at f:7.' \
    '  of several lines, too, if none has most'
pairs <<'END'
dead f:7 f:9 - 100 100
silent f:9 f:7 f:6 400 0
END
is "$(kinds) $(evidence f:7)" \
    'f:7 overwritten-value 100 % of its stores in pairs are overwritten before anything reads them, without an iteration of a common loop between, mostly by f:9.' \
    'small stores that larger ones overwrite: each kind of pair counts by itself'

# Without a loop between.
pairs <<'END'
load main:4;f:7 main:4;f:8 - 799 799
load main:4 main:4 - 100 0
END
is "$(kinds)" 'f:8 register-not-used' 'loaded before in the same call, which loads this seven times: a register'
pairs <<'END'
load main:4;f:7 main:4;f:8 - 800 800
load main:4 main:4 - 100 0
END
is "$(kinds)" 'f:8 repeated-load' '  eight times: perhaps by another loop, perhaps by the one around both'
pairs <<'END'
load main:4;f:6 main:4;f:8 - 800 800
load main:4;f:8 main:4;f:8 f:7 100 100
load main:4 main:4 - 100 0
END
is "$(kinds)" 'f:8 linear-search-or-traversal' '  by another loop, which begins after the line that loaded it before'
is "$(evidence f:8)" \
    '100 % of its loads in pairs repeat earlier ones, mostly at f:6.' '    with the evidence: some of them in that loop'
pairs <<'END'
load main:4;f:6 main:4;f:8 - 800 800
load main:4;f:8 main:4;f:8 f:8 100 100
load main:4 main:4 - 100 0
END
is "$(kinds)" 'f:8 repeated-load' '    not if it may be a do loop around both, which ends there'
pairs <<'END'
load f:20;f:20;f:9 f:20;f:20;f:20 - 800 800
load f:20;f:20;f:20 f:20;f:20;f:20 f:10 100 100
END
is "$(kinds)" 'f:20 repeated-load' '  nor in recursion, where a context stands for several calls'
pairs <<'END'
load main:4;f:7 main:4;f:8 - 800 800
load main:4;f:7 main:4;f:8 f:6 100 100
load main:4 main:4 - 100 0
END
is "$(kinds)" 'f:8 register-not-used' '  unless a loop around both is known'
pairs <<'END'
load main:4;f:7 main:4 - 700 700
load main:4;f:7 main:4;f:7 main:3 100 0
END
is "$(kinds)" 'main:4 repeated-load' '  not if a function that it called loaded it, perhaps in a loop'
pairs <<'END'
load main:4;f:8 main:4;f:8 - 800 800
END
is "$(kinds)" 'f:8 register-not-used' '  by the same line: no loop at all'
pairs <<'END'
load main:4;f:7 main:4;f:8 - 800 800
END
is "$(kinds)" 'f:8 repeated-load' '  by another line, and calls are not counted'
pairs <<'END'
dead f:7 f:9 - 100 100
END
is "$(kinds)" 'f:7 overwritten-value' 'a store that another line overwrites'

# Two calls with the same loads, of which one follows the other; a loop in them makes eight loads of each call.
pairs <<'END'
load main:9;ask:1;free:2;look:5 main:9;ask:3;price:4;look:5 - 90 90
load main:9;ask:3;price:4;look:5 main:9;ask:3;price:4;look:5 main:8 10 10
load main:9;ask:3;price:4;look:5 main:9;ask:1;free:2;look:5 main:8 260 260
load main:9;ask:3;price:4 main:9;ask:3;price:4 main:8 12 0
END
is "$(kinds)" 'look:5 redundant-call' 'all loads of a call repeat those of another call: redundant'
like out "25 % of its loads in pairs repeat, in the call at ask:3, what that at ask:1 has loaded, without an iteration of a common loop between" \
    '  with the evidence'
pairs <<'END'
load main:9;ask:1;free:2;look:5 main:9;ask:3;price:4;look:5 - 90 90
load main:9;ask:3;price:4;look:5 main:9;ask:3;price:4;look:5 main:8 11 11
load main:9;ask:3;price:4 main:9;ask:3;price:4 main:8 12 0
END
is "$(kinds)" 'look:5 repeated-load' '  not if it loads other things, too'
pairs <<'END'
load main:9;ask:1;free:2;look:5 main:9;ask:3;price:4;look:5 - 90 90
load main:9;ask:1;free:2;look:5 main:9;ask:1;free:2;look:6 main:8 361 361
load main:9;ask:3;price:4 main:9;ask:3;price:4 main:8 11 0
END
is "$(kinds)" 'look:5 repeated-load look:6 repeated-load' '  nor if these are less than a quarter of the loads of its function'
pairs <<'END'
load main:9;ask:1;free:2;look:5 main:9;ask:3;price:4;look:5 - 90 90
load main:9;ask:3;price:4 main:9;ask:3;price:4 main:8 12 0
END
is "$(kinds)" 'look:5 repeated-load' '  nor if there are too few for a loop: perhaps a constant'
pairs <<'END'
load main:9;f:2;f:5 main:9;f:3;f:5 - 90 90
load main:9;f:3 main:9;f:3 main:8 10 0
END
is "$(kinds)" 'f:5 repeated-load' '  nor in recursion'

# A call of the library in a loop, whose result is what it was.
pairs <<'END'
load f:7;exp!9 f:7;exp!9 f:6 100 100
silent f:7 f:7 f:6 100 90
END
is "$(kinds)" 'f:7 redundant-call' 'the loads of a call, and what is stored, are as before'
pairs <<'END'
load f:7;exp!9 f:7;exp!9 f:6 100 100
silent f:7 f:7 f:6 100 89
END
is "$(kinds | cut -d ' ' -f 1-2)" 'f:7 -' '  what is stored changes'
pairs <<'END'
load f:7;exp!9 f:7;exp!9 f:6 100 100
silent f:7 f:7 f:6 100 100 1
END
is "$(kinds)" 'f:7 redundant-call' '  floating-point values change little'
pairs <<'END'
load f:7;exp!9 f:7;exp!9 f:6 100 100
silent f:7 f:7 f:6 100 100 1
load f:7 f:7 f:6 100 0
END
is "$(kinds)" 'f:7 value-within-tolerance' '  but it may be a sum if the line also loads it'

# By names of the library.
pairs <<'END'
dead f:1;memset!5 f:3 - 100 100
dead f:5;memcpy!5 f:5;memcpy!5 f:4 100 100
load f:5;memcpy!5 f:5;memcpy!5 f:4 100 100
load f:7;strlen!5 f:7;strlen!5 f:6 100 100
dead f:8;printf!5;memset!5 f:8;printf!5;memset!5 f:6 100 100
load exit!5 exit!5 f:6 100 100
END
is "$(kinds)" 'exit:5 - f:1 zeroing-before-overwriting f:5 redundant-copy f:7 linear-search-or-traversal f:8 -' \
    'functions that the program calls, not those within them'
is "$(evidence f:1)" '100 % of its stores in pairs, in memset, are overwritten before anything reads them, mostly by f:3.' '  zeroing, with the evidence'

# A function: the kind of most of its waste, its lines, and another kind.
pairs <<'END'
load f:6 f:6 f:6 500 500
load f:7 f:7 f:6 300 300
dead f:1;memset!5 f:3 - 88 88
END
waste --functions 0 --format csv out.trace >out
is "$(grep -c Elsewhere out)" 0 'a function: a kind with less than a tenth of its waste is left out'
pairs <<'END'
load f:6 f:6 f:6 500 500
load f:7 f:7 f:6 300 300
dead f:1;memset!5 f:3 - 89 89
END
waste --functions 0 --format csv out.trace >out
is "$(cut -d, -f 2 out | sed -n 2p) $(python3 -c '
import csv
row = next(csv.DictReader(open("out")))
print(row["inefficiency"], row["evidence"], row["remedy"], sep="|")')" "f repeated load|Line 6 (likewise 7): 100 % of its loads in pairs repeat what an earlier iteration of the loop at f:6 loaded. Elsewhere zeroing before overwriting. Line 1: 100 % of its stores in pairs, in memset, are overwritten before anything reads them, mostly by f:3. Clear only what is read before it is overwritten, or nothing.|If it is one value, keep it in a local variable or pass it as an argument. If a loop searches or walks over data, search better, keep the result, or walk over them less often." '  otherwise there are two kinds, with their lines'
waste --functions 0 out.trace >out
like out '^#1 f: repeated load\. Line 6 \(likewise 7\): 100 % of its loads' '  as a paragraph for readers'

# A profile: line 9, a third of whose loads are wasted, gains 0.3 of the time; what line 7 wastes more of gains nothing.
pairs <<'END'
dead f:7 f:8 - 900 900
load f:9 f:9 f:9 600 200
END
awk 'BEGIN { for (i = 1; i <= 100; i++) print "main", i, i * 1000, i * 1000, i <= 90 ? "main:1;f:9" : "main:3" }' |
    "$build/tests/make_trace" cpu.trace series=c run=1 mode=cpu clock=random period_ns=1000
waste --functions 0 --format csv out.trace >out
like out ',overwritten value,' 'a function whose line 7 wastes most'
waste --hot --functions 0 --format csv out.trace cpu.trace >out
is "$(grep -c 'overwritten value' out)" 0 '  nothing is said of line 7 if others have all of the gain'
# Sampled accesses have no loop.
echo 'trap main 2 0 f:7 f:7 1 100 1' | "$build/tests/make_pairs" out.trace mode=silent-load engine=soft
is "$(kinds)" 'f:7 -' 'sampled loads alone show no kind'
echo 'trap main 2 0 main:2;strlen!7 main:2;strlen!7 1 100 1' | "$build/tests/make_pairs" out.trace mode=silent-load engine=soft
is "$(kinds)" 'main:2 linear-search-or-traversal' '  but names do'
done_testing
