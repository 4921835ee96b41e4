#!/bin/sh
# From a program to its phases: record every call, choose phases, compare with what the program measured itself.
. "$(dirname "$0")/lib.sh"
phases=$build/libexec/assay/assay-phases
export=$build/libexec/assay/assay-export
gcc -O1 -finstrument-functions -o planted "$root/tests/victims/phases_planted.c" || exit 1

# of PHASE COLUMN: of the phase's elapsed time in ./table
of() {
    awk -F, -v phase="$1" -v name="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $1 == phase && $at["metric"] == "time_ns" { print $at[name] }' table
}

# Thresholds far below the shares of 17, 50 and 33 %, which other load may shift.
recorded -- ./planted
is $? 0 'three planted phases: status 0'
cp said truth
is "$(wc -l <truth)" 3 '  the program says what it measured'
"$phases" --weight 2% --grain 0.02% --share-of time_ns --select chosen --format csv out/*.trace >table 2>err
is "$(sort chosen | tr '\n' ' ')" 'main print_data read_data sort_data ' '  they are found, and main around them'
while read -r name calls mean; do
    is "$(of "$name" n)" "$calls" "  $name: its calls"
    between "$(of "$name" lo)" "$mean" "$(of "$name" hi)" '  the mean that the program measured is in the interval'
done <truth

recorded --runs 3 -- ./planted
"$phases" --weight 2% --grain 0.02% --share-of time_ns --format csv out/*.trace >table 2>err
is "$(of sort_data n)" 60 'three runs: calls of all of them'
sort said | awk '{ sum[$1] += $3; runs[$1]++ } END { for (name in sum) print name, sum[name] / runs[name] }' >truth
near() {
    awk -v value="$1" -v factor="$2" 'BEGIN { print value * factor }'
}
# Runs can be so much alike that their interval is narrower than the way from the probes to the program's own clock.
while read -r name mean; do
    between "$(near "$(of "$name" lo)" 0.998)" "$mean" "$(near "$(of "$name" hi)" 1.002)" \
        "  $name: the mean of the runs is in the interval over runs"
done <truth
for what in anova percentiles baseline; do
    case $what in
    baseline) set -- --baseline "$(ls out/*.trace | head -n 1)" ;;
    *) set -- --$what ;;
    esac
    "$phases" --weight 2% --grain 0.02% --share-of time_ns "$@" --format csv out/*.trace >$what 2>err
    is "$? $(wc -c <err)" '0 0' "$what of what was recorded: status 0, no complaint"
done
is "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $1 == "time_ns" { print ($at["p"] < 1e-6) }' anova)" 1 \
    'the planted phases differ'

# --- a phase that became twice as long, beside one that did not ---
gcc -O1 -finstrument-functions -DSORT_NS=6000000 -o slower "$root/tests/victims/phases_planted.c" || exit 1
mv out old
mv said said-old
recorded --runs 3 -- ./slower
"$phases" --weight 2% --grain 0.02% --share-of time_ns --baseline old --format csv old/*.trace out/*.trace >table 2>err
is "$? $(wc -c <err)" '0 0' 'two real recordings compared: status 0, no complaint'
# said NAME: how the mean changed by the program's own clock: ratio, difference
said() {
    awk -v name="$1" '$1 == name { sum[FILENAME] += $3; runs[FILENAME]++ }
        END { old = sum["said-old"] / runs["said-old"]; new = sum["said"] / runs["said"]; printf "%.9f %.3f", new / old, new - old }' \
        said-old said
}
for name in sort_data read_data; do
    is "$(of $name sample),$(of $name n_old),$(of $name n_new)" runs,3,3 "  $name: the means of runs"
    truth=$(said $name)
    # On a busy machine a call may wait where the program's own clock does not see it.
    between "$(near "${truth% *}" 0.9)" "$(of $name ratio)" "$(near "${truth% *}" 1.1)" \
        '  changed as the program measured it'
    is "$(awk -v low="$(of $name lo)" -v high="$(of $name hi)" -v truth="${truth#* }" -v slack=100000 \
        'BEGIN { print (low - slack <= truth && truth <= high + slack) }')" 1 '  and the interval of the difference holds that'
done

# --- export ---
set -- out/*.trace
"$export" --to folded --events "$1" >folded 2>err
is "$? $(sed 's/ [0-9]*$//' folded | tr '\n' ' ')" '0 main main;print_data main;read_data main;sort_data ' 'folded stacks of events'
is "$(awk '{ sum += $NF } END { printf "%.0f\n", sum }' folded)" \
    "$("$dump" --kind event "$1" | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { last = $at["time_ns"] } NR == 2 { first = last } END { printf "%.0f\n", last - first }')" \
    '  add up to the time from the first event to the last'
done_testing
