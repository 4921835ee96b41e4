# lib.sh - for the JVM agent's tests: TAP, compiled victims, and a trace of one JVM. Sourced.
# Leaves the shell in an empty directory that is removed at exit.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$root" && cd "${ASSAY_BUILD:-build}" && pwd)
agent=$build/lib/assay/libassay-jvm.so
dump=$build/libexec/assay/assay-dump
unset LD_PRELOAD JAVA_TOOL_OPTIONS ASSAY_RECORD

skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}
command -v javac >/dev/null && command -v java >/dev/null || skip_all 'no JDK here'
[ -e "$agent" ] || skip_all 'no JVM agent in this build'

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory" || exit 1
tap_count=0
tap_failed=0

# ok STATUS WHAT
ok() {
    tap_count=$((tap_count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $tap_count - $2"
    else
        echo "not ok $tap_count - $2"
        tap_failed=$((tap_failed + 1))
    fi
}

# is GOT EXPECTED WHAT
is() {
    [ "$1" = "$2" ]
    ok $? "$3"
    [ "$1" = "$2" ] || printf '# got      %s\n# expected %s\n' "$1" "$2"
}

# between GOT LOW HIGH WHAT
between() {
    awk -v x="$1" -v low="$2" -v high="$3" 'BEGIN { exit !(x != "" && x >= low && x <= high) }'
    good=$?
    ok $good "$4"
    [ $good -eq 0 ] || echo "# got $1, expected $2 to $3"
}

skip() {
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - # SKIP $1"
}

done_testing() {
    echo "1..$tap_count"
    [ "$tap_failed" -eq 0 ]
}

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
    ASSAY_RECORD="{\"directory\":\"$directory/traces\",\"prefix\":\"run\",\"mode\":\"cpu\",\"clock\":\"$1\",
        \"period_ns\":$2,\"source\":\"$source\",\"seed\":1}" JAVA_TOOL_OPTIONS="-agentpath:$agent"
    export ASSAY_RECORD JAVA_TOOL_OPTIONS
    shift 2
    timeout -s INT "${LIMIT:-100}" "${JAVA:-java}" "$@" >out 2>err
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

# percent REGEXP OF: samples that match REGEXP of those that match OF
percent() {
    awk -v part="$(samples "$1" "$2")" -v all="$(samples "$2")" 'BEGIN { if (all > 0) print 100 * part / all }'
}

# whole WHAT: the trace is there and finished
whole() {
    # The exit status tells of damage; samples that a busy machine lost are another matter.
    "$dump" --kind thread out.trace >/dev/null 2>whole.err
    ok $? "$1"
    sed 's/^/# /' whole.err
}

# javas: the java program of each version that is installed, once; the default one first
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
