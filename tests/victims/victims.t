#!/bin/sh
# The exact tool on programs whose wasted accesses are derived on paper: each of their pairs, to the byte, with two numbers
# of rounds, and what further rounds add to the totals of the whole process. victim.h describes the notation.
. "$(dirname "$0")/../tap.sh"
[ "$(uname -m)" = x86_64 ] || skip_all 'the victims are in x86-64 assembly'
command -v valgrind >/dev/null || skip_all 'valgrind is not installed'
needs tests/exact/tool/pairs
scratch
here=$root/tests/victims
record=$build/libexec/assay/assay-record
few=1000
many=3000

# said FILE WORD: the rest of the victim's line ` * WORD …`
said() {
    sed -n "s/^ \* $2\( \|\$\)//p" "$1"
}

# evaluate EXPRESSION...: sets $values to theirs, which may depend on n; `-` and `all` stay
evaluate() {
    values=
    for expression; do
        case $expression in
        - | all) values="$values $expression" ;;
        *) values="$values $(($expression))" ;;
        esac
    done
}

# expectations FILE N: the victim's lines `pair` and `maybe` with numbers; wasted events and bytes are two fields
expectations() {
    # shellcheck disable=SC2034 # n stands in the expressions
    n=$2
    grep -E '^ \* (pair|maybe) ' "$1" | while read -r _ what kind first second events bytes wasted more; do
        if [ "$what" = maybe ]; then
            echo "$what $kind $first $second"
            continue
        fi
        case $wasted in
        none) wasted=0/0 ;;
        all) wasted=all/all ;;
        esac
        evaluate "$events" "$bytes" "${wasted%%/*}" "${wasted#*/}"
        echo "$what $kind $first $second$values $more"
    done
}

# run_victim NAME N MODE: writes NAME-N-MODE.pairs
run_victim() {
    # shellcheck disable=SC2046 # words
    "$record" -q --no-profile --engine exact --mode "$3" $(said "$here/$1.c" options) -o "$1-$2-$3" -- "./$1" "$2" >log 2>&1 &&
        "$build/tests/exact/tool/pairs" victim_ "$1-$2-$3"/*.trace >"$1-$2-$3.pairs" 2>>log
}

# check_pairs NAME N MODE [ONLY]: one test
check_pairs() {
    expectations "$here/$1.c" "$2" >expected
    if run_victim "$1" "$2" "$3"; then
        awk -v base="$1.c" -v only="${4-}" -f "$here/expect.awk" "$here/$1.c" expected "$1-$2-$3.pairs" >log
    else
        echo 'could not be recorded' >>log
    fi
    [ -s log ]
    ok $((!$?)) "$1: $2 rounds in mode $3 have the derived pairs" || sed 's/^/# /' log
}

# added FIELD VALUE...: what a round adds to the sum of column FIELD in lines that begin with the VALUEs
added() {
    column=$1
    start=$(shift && printf '%s\t' "$@")
    for rounds in $few $many; do
        awk -F '\t' -v column="$column" -v start="$start" -v sign=$((rounds == few ? -1 : 1)) '
            { line = $0; if ($1 == "total") sub(/\t[0-9]+/, "", line) }
            index(line, start) == 1 { sum += sign * $column }
            END { printf "%.0f\n", sum }' "$name-$rounds-$mode.pairs"
    done | awk -v more=$((many - few)) '{ sum += $1 } END { x = sum / more; printf "%d", x < 0 ? x - 0.5 : x + 0.5 }'
}

# check_round WORD EVENTS BYTES…, as in the line `round`: one test. The environment contains process ids, whose lengths
# make a difference of some bytes between two runs, far less than one byte per round, so the quotient is rounded.
check_round() {
    got=
    expected=
    while [ $# -gt 0 ]; do
        case $1 in
        loads | stores)
            expected="$expected $1 $2 $3"
            got="$got $1 $(added 5 total "${1%s}") $(added 6 total "${1%s}")"
            shift 3
            ;;
        *)
            if [ "$2" != - ]; then
                expected="$expected $1 $2"
                got="$got $1 $(added 7 sum "$1")"
            fi
            shift 2
            ;;
        esac
    done
    is "$got" "$expected" "$name: a further round adds the derived numbers to the totals of the process"
}

# waste_added KIND COLUMN: what a round adds to this column of assay waste
waste_added() {
    for rounds in $few $many; do
        "$build/libexec/assay/assay-waste" -q --format csv "$name-$rounds-$mode"/*.trace |
            awk -F, -v kind="$1" -v column="$2" -v sign=$((rounds == few ? -1 : 1)) '
                NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) c = i }
                NR > 1 && c && $1 == kind { printf "%.0f\n", sign * $c }'
    done | awk -v more=$((many - few)) '{ sum += $1; n++ } END { x = sum / more; if (n == 2) printf "%d", x < 0 ? x - 0.5 : x + 0.5; else print "no such value" }'
}

# check_fractions, with the arguments of check_round: numerator and denominator of each kind's fraction; one test
check_fractions() {
    got=
    expected=
    while [ $# -gt 0 ]; do
        case $1 in
        loads | stores)
            eval "$1_bytes=$3"
            shift 3
            continue
            ;;
        silent-load) bytes=$loads_bytes ;;
        *) bytes=$stores_bytes ;;
        esac
        if [ "$2" != - ]; then
            expected="$expected $1 $2/$bytes"
            got="$got $1 $(waste_added "$1" wasted_bytes)/$(waste_added "$1" bytes)"
        fi
        shift 2
    done
    is "$got" "$expected" "$name: and to the fractions of assay waste"
}

check_victim() {
    for flag in $(said "$here/$name.c" needs); do
        if ! grep -qw "$flag" /proc/cpuinfo; then
            skip "$name: this processor has no $flag"
            return
        fi
    done
    mode=$(said "$here/$name.c" mode)
    mode=${mode:-waste}
    check_pairs "$name" "$few" "$mode"
    check_pairs "$name" "$many" "$mode"
    round=$(said "$here/$name.c" round)
    if [ -n "$round" ]; then
        # shellcheck disable=SC2086 # words
        check_round $round
        # shellcheck disable=SC2086
        check_fractions $round
    fi
    if grep -q '^ \* modes$' "$here/$name.c"; then
        for single in dead-store silent-store silent-load; do
            check_pairs "$name" "$few" "$single" "$single"
        done
    fi
}

# A program without libraries starts in a third of the time.
static=-static
echo 'int main(void) { return 0; }' | "${CC:-gcc}" -static -xc -o started - 2>/dev/null || static=

# VICTIMS names files, if not all are tested.
# shellcheck disable=SC2046 # words
for source in ${VICTIMS:-$(grep -l "\"victim.h\"" "$here"/*.c)}; do
    name=$(basename "$source" .c)
    "${CC:-gcc}" -std=c17 -D_GNU_SOURCE -O2 -g -Wall -pthread $static -o "$name" "$here/$name.c" 2>log
    ok $? "$name compiles" || {
        sed 's/^/# /' log
        continue
    }
    check_victim
done
done_testing
