# Shared by series of runs; sourced from the root of the checkout.
# shellcheck shell=sh

# iterations NAME SCALE: the workload's iterations, SCALE times as many as in MANIFEST, but at least one
iterations() {
    awk -F '\t' -v name="$1" -v scale="$2" '$1 == name { n = int($4 * scale + 0.5); print n < 1 ? 1 : n }' \
        datasets/workloads/MANIFEST
}

# rotated N WORD...: the words, beginning with the one N places after the first
rotated() {
    number=$1
    shift
    printf '%s\n' "$@" | awk -v n="$number" '{ line[NR - 1] = $0 } END { for (i = 0; i < NR; i++) print line[(i + n) % NR] }'
}

# unwatched: why accesses can't be sampled here; nothing if they can
unwatched() (
    directory=$(mktemp -d)
    trap 'rm -rf "$directory"' EXIT
    ./assay record -q --mode dead-store -o "$directory/traces" -- true 2>&1 | grep 'no watchpoints' || :
)

# waste FILE TABLE OPTION...: assay waste into TABLE, also of doubtful recordings and of those that have no trap, whose table
# is empty; its warnings are added to FILE
waste() {
    warnings=$1 table=$2
    shift 2
    rm -f "$table"
    ./assay waste --keep-going -o "$table" "$@" 2>>"$warnings" || [ -s "$table" ] || {
        tail -n 3 "$warnings" >&2
        return 1
    }
}

# doubted FILE: one line if some of the recordings are doubtful
doubted() {
    number=$(grep -o '[^ ]*: DO NOT BELIEVE.*' "$1" | sort -u | grep -c .) || return 0
    echo
    echo "$number of the recordings must not be believed, since their ticks did not come at the requested rate: see $1"
}
