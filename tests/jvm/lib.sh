# lib.sh - for the JVM agent's tests, sourced: compiles victims and traces a JVM. Enters an empty directory that is
# removed at exit.
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
        shift
        set -- "$@" "$root/tests/victims/java/$name.java"
    done
    compile_java -d . "$@" || exit 1
}

# trace CLOCK PERIOD_NS JAVA_ARGUMENT...: runs a JVM (java, or $JAVA). Its trace is then in out.trace, its output in out
# and err, its exit status in $status.
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

# samples [REGEXP...]: the number of samples whose lines match all of these
samples() {
    cp samples matching
    for regexp in "$@"; do
        grep -E -- "$regexp" matching >fewer
        mv fewer matching
    done
    wc -l <matching
}

# percent REGEXP OF: the percentage of the samples that match OF that match REGEXP, too
percent() {
    awk -v part="$(samples "$1" "$2")" -v all="$(samples "$2")" 'BEGIN { if (all > 0) print 100 * part / all }'
}

# few PERCENT PART OF WHAT: PART of OF samples are no more than chance explains if each has at most this probability:
# the mean, four standard deviations (exceeded once in thirty thousand) and one
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

# javas: the java program of each installed version from 17 on, once; the default one first
javas() {
    {
        dirname "$(dirname "$(readlink -f "$(command -v java)")")"
        ls -d /usr/lib/jvm/*/ 2>/dev/null
    } | while read -r home; do
        [ ! -x "$home/bin/java" ] || [ ! -e "$home/release" ] || printf '%s %s\n' "$(version "$home")" "$home/bin/java"
    done | awk '!seen[$1]++ && $1 >= 17 { print $2 }'
}

# version HOME: the major version, such as 17
version() {
    sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"
}
