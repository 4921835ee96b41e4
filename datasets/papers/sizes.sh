# How much of each part is measured at $SCALE: sourced by `reproduce`, from the root of the checkout. What the environment sets
# takes precedence. With SCALE=1 each part has its full size.
# shellcheck shell=sh

# few FULL LEAST: FULL times SCALE; rounds FULL LEAST: FULL times its square root. At least LEAST, and not more than FULL.
few() {
    awk -v full="$1" -v least="$2" -v scale="$SCALE" 'BEGIN { n = int(full * scale + 0.5); n = n < least ? least : n; print n < full ? n : full }'
}
rounds() {
    awk -v full="$1" -v least="$2" -v scale="$SCALE" 'BEGIN { n = int(full * sqrt(scale) + 0.5); n = n < least ? least : n; print n < full ? n : full }'
}
# first LEAST WORD...: the first words, as many as `few` says
first() {
    least=$1
    shift
    printf '%s\n' "$@" | head -n "$(few $# "$least")" | paste -s -d ' ' -
}
# part_length: by which the lengths of runs are multiplied
part_length() {
    awk -v scale="$SCALE" 'BEGIN { printf "%.3g", sqrt(scale) }'
}
# with_iterations NAME...: each with SCALE times the iterations of its manifest
with_iterations() (
    . datasets/workloads/series.sh
    for name; do printf '%s:%s ' "$name" "$(iterations "$name" "$SCALE")"; done
)

# experiment FILE TO ROUNDS NAME...: a copy with so many rounds and these programs, SCALE times the iterations of workloads, and
# paths that do not depend on where it is
experiment() {
    file=$1 to=$2 number=$3
    shift 3
    root=$PWD awk -v rounds="$number" -v names=" $* " -v scale="$SCALE" '
        BEGIN {
            root = ENVIRON["root"]
            gsub(/[^A-Za-z0-9_.\/-]/, "\\\\&", root) # commands are words
        }
        /^[a-z]/ { inside = /^programs:/; left_out = 0 }
        /^rounds:/ { $2 = rounds }
        inside && /^  [a-z]/ { name = $1; sub(/:.*/, "", name); left_out = !index(names, " " name " ") }
        left_out { next }
        inside && /workloads.run/ { n = int($NF * scale + 0.5); sub(/[0-9]+$/, n < 1 ? 1 : n) }
        at = index($0, "../workloads") { $0 = substr($0, 1, at - 1) root "/datasets" substr($0, at + 2) }
        { print }' "$file" >"$to.new"
    if cmp -s "$to.new" "$to"; then rm "$to.new"; else mv "$to.new" "$to"; fi
}
# programs_of FILE: those of an experiment
programs_of() {
    awk '/^[a-z]/ { inside = /^programs:/ } inside && /^  [a-z]/ { sub(/:.*/, ""); print $1 }' "$1"
}

# size_PART: sets the variables of its script

size_profilers() {
    # shellcheck disable=SC2046 # words
    PROGRAMS=${PROGRAMS:-$(with_iterations $(first 1 antlr sablecc jfreechart fop jython luindex ecj))}
    CLOCKED=${CLOCKED:-$(first 2 $(programs_of datasets/papers/clocks.yaml))} ROUNDS=${ROUNDS:-$(few 30 3)}
    RUNS=${RUNS:-$(rounds 5 2)} HOT=${HOT:-$(rounds 2 1)} STEPS=${STEPS:-$(rounds 3 1)}
    SPEEDUP_RUNS=${SPEEDUP_RUNS:-$(rounds 10 2)} SPEEDUP_STEPS=${SPEEDUP_STEPS:-$(part_length)}
    export PROGRAMS RUNS HOT STEPS CLOCKED ROUNDS SPEEDUP_RUNS SPEEDUP_STEPS
}
size_phases() {
    WORKLOADS=${WORKLOADS:-$(first 2 sablecc ecj h2 batik fop jython antlr luindex xalan)}
    RUNS=${RUNS:-$(rounds 5 2)} PAIRS=${PAIRS:-$(rounds 10 2)}
    SCALE=$(part_length)
    export WORKLOADS RUNS PAIRS SCALE
}
size_waste() {
    # shellcheck disable=SC2046,SC2116 # words
    CASES=${CASES:-$(echo $(first 4 particlefilter lavamd lbm masnum $(cases_but 'particlefilter lavamd lbm masnum' native planted)) \
        $(first 2 union fft $(cases_but 'union fft' .)))}
    RUNS=${RUNS:-$(rounds 10 2)} PAIRS=${PAIRS:-$(rounds 30 3)}
    # shellcheck disable=SC2046
    BUGS=${BUGS:-$(first 2 $(grep -v '^#' datasets/waste/toddler/BUGS | cut -f 1))}
    WORKLOADS=${WORKLOADS:-$(first 1 antlr ecj fop h2 jython luindex sablecc xalan)} KINDS=${KINDS:-$(first 1 silent-load dead-store silent-store)}
    ROUNDS=${ROUNDS:-$(rounds 3 2)}
    export CASES RUNS PAIRS BUGS WORKLOADS KINDS ROUNDS
}
# cases_but CASES FOLDER...: those of these folders below datasets/waste, without CASES
cases_but() {
    but=$1
    shift
    for folder; do grep -v '^#' "datasets/waste/$folder/CASES" | cut -f 1; done | grep -vxF "$(echo "$but" | tr ' ' '\n')"
}
size_variance() {
    CASES=${CASES:-$(first 2 set hash search particles chunks)}
    # shellcheck disable=SC2046 # words
    PROGRAMS=${PROGRAMS:-$(first 2 $(programs_of datasets/papers/variance.yaml))}
    PAIRS=${PAIRS:-$(rounds 10 3)}
    export CASES PROGRAMS PAIRS
}
size_strides() {
    # shellcheck disable=SC2046 # words
    PROGRAMS=${PROGRAMS:-$(first 4 find_in_memory db Db euler $(grep -hv '^#' datasets/strides/PROGRAMS datasets/strides/REAL | cut -f 1 |
        grep -vxE 'find_in_memory|db|Db|euler'))}
    PAIRS=${PAIRS:-$(rounds 10 2)} LENGTH=${LENGTH:-$(part_length)}
    export PROGRAMS PAIRS LENGTH
}
