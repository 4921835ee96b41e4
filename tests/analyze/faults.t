#!/bin/sh
# Bad input and output of every program that reads traces: one clear line, the right exit status, no result.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_trace
programs=$build/libexec/assay
make_trace=$build/tests/make_trace

# expect STATUS PATTERN WHAT COMMAND...: that exit status; one line on stderr, from the program, that matches the
# pattern
expect() {
    status=$1 pattern=$2 what=$3
    shift 3
    who=${1##*/}
    "$@" >out 2>err
    got=$?
    [ "$got" = "$status" ] && [ "$(grep -c "^$who: " err) $(grep -v "^$who: " err | grep -vc -e '^Try ' -e '^information')" = "1 0" ] &&
        grep -q "^$who: .*$pattern" err
    ok $? "$who: $what" || { echo "status $got, expected $status with: $pattern" && cat err; } | sed 's/^/# /'
}

awk 'BEGIN { for (i = 0; i < 200; i++) printf "main %d %.0f %.0f work\n", i, 10000000 * i, 10000000 * i }' |
    CHUNK=20 "$make_trace" good.trace clock=random
mkdir directory
: >empty.trace
echo 'this is not a trace' >text.trace
size=$(wc -c <good.trace)
head -c $((size * 2 / 3)) good.trace >cut.trace
head -c 30 good.trace >stump.trace
{ head -c 8 good.trace; printf '\002\000'; tail -c +11 good.trace; } >newer.trace
{ head -c $((size / 2)) good.trace; printf 'XXXX'; tail -c +$((size / 2 + 5)) good.trace; } >flipped.trace
mkfifo pipe

# Every analyzer, except those for which a trace of samples has no result.
analyzers=$(for program in "$programs"/assay-*; do
    "$program" --help | grep -q '^ *--save-state=' && echo "${program##*/assay-}"
done | grep -vx -e agree -e audit -e cache -e causality -e phases -e strides -e variance -e waste)
for verb in $analyzers info dump 'export --to folded'; do
    name=${verb%% *} arguments=${verb#"${verb%% *}"}
    program=$programs/assay-$name
    for case in 'nofile.trace|No such file' 'directory|is a directory' 'empty.trace|is empty' \
        'text.trace|is not an assay trace' 'newer.trace|use a newer assay' 'stump.trace|cut or damaged' \
        'pipe|not a regular file' 'cut.trace|no end' 'flipped.trace|damaged\|does not match'; do
        # shellcheck disable=SC2086
        expect 1 "${case#*|}" "${case%%|*}" "$program" $arguments "${case%%|*}"
    done
    # shellcheck disable=SC2086
    expect 1 'No space left' 'a full disk' "$program" $arguments -o /dev/full good.trace
    # shellcheck disable=SC2086
    expect 1 'Permission denied\|No such file\|Is a directory' 'an output that is not a file' "$program" $arguments -o directory good.trace
    expect 2 '' 'no argument' "$program"
    # shellcheck disable=SC2086
    expect 2 "no option '--nonsense'" 'an unknown option' "$program" $arguments --nonsense good.trace
done

# what can be read is read
for file in cut flipped; do
    "$programs/assay-hot" --format csv "$file.trace" >out 2>err
    between 100 "$(awk -F, '$2 == "work" { print $7 }' out)" 199 "$file.trace: most of 200 samples are still read"
done
"$programs/assay-hot" --keep-going cut.trace >out 2>err
is $? 0 '--keep-going: status 0'
"$programs/assay-hot" --format csv nofile.trace good.trace >out 2>err
is "$? $(awk -F, '$2 == "work" { print $7 }' out)" '1 200' \
    'a missing trace among others: status 1, and the others are read'
"$programs/assay-hot" --format csv - <good.trace >out 2>err
is "$? $(awk -F, '$2 == "work" { print $7 }' out)" '0 200' 'standard input is read'

# states
echo '{"program": "hot"}' >other.json
"$programs/assay-hot" --save-state good.state good.trace
expect 1 'is a state of assay-hot' 'the state of another program' "$programs/assay-intervals" good.state
expect 1 'not a saved state' 'a JSON file that is not a state' "$programs/assay-hot" other.json
expect 1 'not a saved state' 'a JSON file that is not a state' "$programs/assay-merge" -o all.state other.json
expect 1 'No such file\|unable to open' 'a missing state' "$programs/assay-merge" -o all.state nofile.state
expect 1 'No space left' 'a full disk for a state' "$programs/assay-hot" --save-state /dev/full good.trace
expect 2 'give -o FILE' 'no output file' "$programs/assay-merge" good.state
done_testing
