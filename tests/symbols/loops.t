#!/bin/sh
# A loop is named by its own line, not by that of its header's first instruction: every loop of nests.c, with every
# compiler that is here, at every level of optimization.
. "$(dirname "$0")/../tap.sh"
[ "$(uname -m)" = x86_64 ] || skip_all 'loops are found in x86-64 code'
needs tests/symbols/loops
scratch
source=$root/tests/symbols/nests.c

# Prints what is wrong with the lines that `loops` printed: a line without a mark, one in another function than the
# loop, or one of an outer loop of the same function. With all=1 every marked loop must be there. Outer loops come
# first.
cat >check.awk <<'END_AWK'
NR == FNR {
    if (match($0, /^[A-Za-z].* \**[a-z_]+\(/)) { current = $0; sub(/\(.*/, "", current); sub(/.*[ *]/, "", current) }
    if (match($0, /\/\* LOOP [0-9a-z]+/)) { level[FNR] = substr($0, RSTART + 8, RLENGTH - 8); of[FNR] = current; wanted[current, level[FNR]] = 1 }
    next
}
$4 == "nests.c" {
    seen[$3, level[$5]] = 1
    loops++
    if (of[$5] != $3) print $1 ": depth " $2 " is " $3 ":" $5
    else if ($2 > 1 && name[$2 - 1] == $3 && level[$5] != "any" && level[$5] <= at[$2 - 1]) print $1 ": depth " $2 " is " $3 ":" $5 " in a loop of level " at[$2 - 1]
    name[$2] = $3
    at[$2] = level[$5]
}
END {
    for (loop in wanted) if (all && !(loop in seen)) { sub(SUBSEP, " level ", loop); print "not found: " loop }
    if (loops < 10) print "only " loops + 0 " loops"
}
END_AWK

# check COMPILER OPTIONS ALL: one test; ALL is all of check.awk
check() {
    # shellcheck disable=SC2086 # words
    if ! "$1" -std=c17 -g $2 -o nests "$source" 2>log; then
        skip "$1 does not take $2"
        return
    fi
    "$build/tests/symbols/loops" ./nests "$(readelf -nW nests | sed -n 's/.*Build ID: //p')" >loops
    is "$? $(awk -F '\t' -v all="$3" -f check.awk "$source" loops)" '0 ' "$1 $2: every loop has its own line"
}

for compiler in gcc clang; do
    if ! command -v "$compiler" >/dev/null; then
        skip "there is no $compiler here"
        continue
    fi
    for options in -O0 -O1; do
        check "$compiler" "$options" 1
    done
    for options in -O2 -O3 '-O2 -funroll-loops' -Os '-O2 -flto' '-O2 -gdwarf-4'; do
        check "$compiler" "$options" 0
    done
done
command -v gcc >/dev/null && check gcc '-O1 -fno-tree-ch' 1
done_testing
