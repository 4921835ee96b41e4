# lib.sh - for the tests of engine rewrite, sourced. Enters an empty directory that is removed at exit.
. "$(dirname "$0")/../tap.sh"
record=$build/libexec/assay/assay-record
dump=$build/libexec/assay/assay-dump
waste=$build/libexec/assay/assay-waste
unset LD_PRELOAD JAVA_TOOL_OPTIONS ASSAY_RECORD
XDG_CACHE_HOME=$build/tests/cache # of the prepared classes of the JDKs
export XDG_CACHE_HOME
mkdir -p "$XDG_CACHE_HOME"

command -v javac >/dev/null && command -v java >/dev/null || skip_all 'no JDK here'
[ -e "$build/lib/assay/assay-accesses.jar" ] || skip_all 'no rewriter of accesses in this build'

scratch

# counted MODE JAVA_ARGUMENT...: records a JVM (java, or $JAVA). Its pairs are then in `pairs`: kind, events and wasted
# events by the method of the second access. Its output is in out and err, its exit status in $status. With $burst: in bursts;
# $options: more options of assay record.
counted() {
    mode=$1
    shift
    rm -rf traces
    timeout -s INT "${LIMIT:-600}" "$record" -q --no-profile -m "$mode" -E rewrite ${burst:+--burst "$burst"} ${options:-} -o traces -- "${JAVA:-java}" "$@" >out 2>err
    status=$?
    for kind in method frame context object pair; do
        "$dump" --kind $kind traces/*.trace >$kind.csv 2>/dev/null
    done
    awk -F, '
        FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; file++; next }
        { gsub(/"/, "") }
        file == 1 { class[$at["id"]] = $at["class"]; name[$at["id"]] = $at["name"] }
        file == 2 { method[$at["id"]] = $at["method"] }
        file == 3 { frame[$at["id"]] = $at["frame"] }
        file == 4 {
            m = method[frame[$at["second"]]]
            key = class[m] "." name[m] " " $at["waste"]
            events[key] += $at["events"]
            wasted[key] += $at["wasted_events"]
        }
        END { for (key in events) print key, events[key], wasted[key] }' method.csv frame.csv context.csv pair.csv |
        LC_ALL=C sort >pairs
}

# pairs_are FILE TITLE: compares the pairs of the methods that FILE names with those that it expects
pairs_are() {
    LC_ALL=C sort "$1" >expected
    cut -d ' ' -f 1 expected | LC_ALL=C sort -u >names
    awk 'FNR == NR { wanted[$1] = 1; next } $1 in wanted' names pairs >got
    diff expected got >differences
    ok $? "$2" || sed 's/^/# /' differences
}

# same WHAT JAVA_ARGUMENT...: output and status are those without the recorder
same() {
    what=$1
    shift
    java "$@" >plain 2>plain.err
    expected=$?/$(cat plain)
    counted waste "$@"
    is "$status/$(cat out)" "$expected" "$what: output and status are the program's own"
}
