# lib.sh - for the JVM agent's tests: compiled victims, and a trace of one JVM. Sourced. Leaves the shell in an empty
# directory that is removed at exit.
. "$(dirname "$0")/../tap.sh"
agent=$build/lib/assay/libassay-jvm.so
dump=$build/libexec/assay/assay-dump
unset LD_PRELOAD JAVA_TOOL_OPTIONS ASSAY_RECORD

command -v javac >/dev/null && command -v java >/dev/null || skip_all 'no JDK here'
[ -e "$agent" ] || skip_all 'no JVM agent in this build'

scratch

# victim NAME...: compiles tests/victims/java/NAME.java
victim() {
    for name in "$@"; do
        "${JAVAC:-javac}" -d . "$root/tests/victims/java/$name.java" || exit 1
    done
}

# trace CLOCK PERIOD_NS JAVA_ARGUMENT...: runs a JVM (java, or $JAVA). Its trace is then out.trace, its output out and
# err, its exit status $status.
trace() {
    source=cpu-clock
    [ "$1" != safepoint ] || source=external
    rm -rf traces out.trace
    mkdir traces
    ASSAY_RECORD="{\"directory\":\"$scratch/traces\",\"prefix\":\"run\",\"mode\":\"cpu\",\"clock\":\"$1\",
        \"period_ns\":$2,\"source\":\"$source\",\"seed\":1}" JAVA_TOOL_OPTIONS="-agentpath:$agent"
    export ASSAY_RECORD JAVA_TOOL_OPTIONS
    shift 2
    timeout -s INT "${LIMIT:-600}" "${JAVA:-java}" "$@" >out 2>err
    status=$?
    unset ASSAY_RECORD JAVA_TOOL_OPTIONS
    set -- traces/*.trace
    [ ! -e "$1" ] || mv "$1" out.trace
    : >samples
    [ ! -e out.trace ] || "$dump" --format json --kind sample out.trace >samples 2>dump.err
}

# samples [REGEXP...]: how many samples have lines that match all of these
samples() {
    cp samples matching
    for regexp in "$@"; do
        grep -E -- "$regexp" matching >fewer
        mv fewer matching
    done
    wc -l <matching
}

# percent REGEXP OF: samples that match REGEXP, of those that match OF
percent() {
    awk -v part="$(samples "$1" "$2")" -v all="$(samples "$2")" 'BEGIN { if (all > 0) print 100 * part / all }'
}

# few PERCENT PART OF WHAT: of OF samples no more than PART, where each is one with at most this probability: the mean,
# four standard deviations (one in thirty thousand) and one
few() {
    most=$(awk -v p="$1" -v n="$3" 'BEGIN { m = n * p / 100; print int(m + 4 * sqrt(m) + 1) }')
    between 0 "$2" "$most" "$4"
}

# whole WHAT: the trace exists and is finished
whole() {
    # The exit status reports damage; samples lost on a busy machine do not matter here.
    "$dump" --kind thread out.trace >/dev/null 2>whole.err
    ok $? "$1"
    sed 's/^/# /' whole.err
}

# javas: the java program of each installed version, once; the default one first
javas() {
    {
        dirname "$(dirname "$(readlink -f "$(command -v java)")")"
        ls -d /usr/lib/jvm/*/ 2>/dev/null
    } | while read -r home; do
        [ ! -x "$home/bin/java" ] || [ ! -e "$home/release" ] || printf '%s %s\n' "$(version "$home")" "$home/bin/java"
    done | awk '!seen[$1]++ && $1 >= 17 { print $2 }'
}

# version HOME: 17
version() {
    sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"
}
