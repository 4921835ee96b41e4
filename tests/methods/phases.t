#!/bin/sh
# From a program to its phases: records every call, chooses phases, compares them with the program's own measurements.
. "$(dirname "$0")/lib.sh"
phases=$build/libexec/assay/assay-phases
export=$build/libexec/assay/assay-export
gcc -O1 -finstrument-functions -o planted "$root/tests/victims/phases_planted.c" || exit 1

# of PHASE COLUMN: the cell in the row of the phase's elapsed time of ./table
of() {
    awk -F, -v phase="$1" -v name="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $1 == phase && $at["metric"] == "time_ns" { print $at[name] }' table
}

# The thresholds are far below the shares of 17, 50 and 33 %, which load on the machine may shift.
recorded -- ./planted
is $? 0 'three planted phases: status 0'
cp said truth
is "$(wc -l <truth)" 3 '  the program prints what it measured'
"$phases" --weight 2% --grain 0.02% --share-of time_ns --select chosen --format csv out/*.trace >table 2>err
is "$(sort chosen | tr '\n' ' ')" 'main print_data read_data sort_data ' \
    '  assay phases finds them, and main around them'
while read -r name calls mean; do
    is "$(of "$name" n)" "$calls" "  $name: the number of its calls"
    between "$(of "$name" lo)" "$mean" "$(of "$name" hi)" "  the interval covers the program's own mean"
done <truth

near() {
    awk -v value="$1" -v factor="$2" 'BEGIN { print value * factor }'
}
# three_runs: records them; ./table is what assay phases says, ./truth what the program says
three_runs() {
    recorded --runs 3 -- ./planted
    "$phases" --weight 2% --grain 0.02% --share-of time_ns --format csv out/*.trace >table 2>err
    sort said | awk '{ sum[$1] += $3; runs[$1]++ } END { for (name in sum) print name, sum[name] / runs[name] }' >truth
}
# Runs can be so much alike that their interval is narrower than the time between a probe and the program's own reading.
covered() {
    while read -r name mean; do
        awk -v low="$(near "$(of "$name" lo)" 0.998)" -v mean="$mean" -v high="$(near "$(of "$name" hi)" 1.002)" \
            'BEGIN { exit !(low <= mean && mean <= high) }' || return 1
    done <truth
}
# Between the two a thread may also wait for a processor, so a recording may be repeated.
three_runs
tries=0
until covered || [ $tries -ge 5 ]; do
    three_runs
    tries=$((tries + 1))
done
is "$(of sort_data n)" 60 'three runs: the calls of all runs count'
while read -r name mean; do
    between "$(near "$(of "$name" lo)" 0.998)" "$mean" "$(near "$(of "$name" hi)" 1.002)" \
        "  $name: the interval over runs covers the mean of the runs"
done <truth
for what in anova percentiles baseline; do
    case $what in
    baseline) set -- --baseline "$(ls out/*.trace | head -n 1)" ;;
    *) set -- --$what ;;
    esac
    "$phases" --weight 2% --grain 0.02% --share-of time_ns "$@" --format csv out/*.trace >$what 2>err
    is "$? $(wc -c <err)" '0 0' "$what of real recordings: status 0, no message"
done
# Calls that wait for a busy machine can hide any difference, so a recording may be repeated.
differ() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $1 == "time_ns" { print ($at["p"] < 1e-6) }' anova
}
tries=0
while [ "$(differ)" != 1 ] && [ $tries -lt 10 ]; do
    recorded --runs 3 -- ./planted
    "$phases" --weight 2% --grain 0.02% --share-of time_ns --anova --format csv out/*.trace >anova 2>err
    tries=$((tries + 1))
done
is "$(differ)" 1 'the planted phases differ'

# --- one phase becomes twice as long, another does not ---
gcc -O1 -finstrument-functions -DSORT_NS=6000000 -o slower "$root/tests/victims/phases_planted.c" || exit 1
mv out old
mv said said-old
recorded --runs 3 -- ./slower
"$phases" --weight 2% --grain 0.02% --share-of time_ns --baseline old --format csv old/*.trace out/*.trace >table 2>err
is "$? $(wc -c <err)" '0 0' 'two real recordings are compared: status 0, no message'
# said NAME: how the mean changed by the program's own clock: "RATIO DIFFERENCE"
said() {
    awk -v name="$1" '$1 == name { sum[FILENAME] += $3; runs[FILENAME]++ }
        END { old = sum["said-old"] / runs["said-old"]; new = sum["said"] / runs["said"]; printf "%.9f %.3f", new / old, new - old }' \
        said-old said
}
for name in sort_data read_data; do
    is "$(of $name sample),$(of $name n_old),$(of $name n_new)" runs,3,3 \
        "  $name: the means of three runs each are compared"
    truth=$(said $name)
    # On a busy machine a call may wait outside the program's own measurement.
    between "$(near "${truth% *}" 0.9)" "$(of $name ratio)" "$(near "${truth% *}" 1.1)" \
        "  the ratio is the program's own"
    is "$(awk -v low="$(of $name lo)" -v high="$(of $name hi)" -v truth="${truth#* }" -v slack=100000 \
        'BEGIN { print (low - slack <= truth && truth <= high + slack) }')" 1 \
            '  and the interval of the difference covers its own'
done

# --- export ---
set -- out/*.trace
"$export" --to folded --events "$1" >folded 2>err
is "$? $(sed 's/ [0-9]*$//' folded | tr '\n' ' ')" '0 main main;print_data main;read_data main;sort_data ' \
    'events are exported as folded stacks'
is "$(awk '{ sum += $NF } END { printf "%.0f\n", sum }' folded)" \
    "$("$dump" --kind event "$1" | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { last = $at["time_ns"] } NR == 2 { first = last } END { printf "%.0f\n", last - first }')" \
    '  which add up to the time from the first event to the last'
done_testing
