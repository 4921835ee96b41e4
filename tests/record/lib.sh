# lib.sh - for the recorder's tests in sh: an installation whose native agent is fake_agent.c.
# Sourced; changes to an empty directory that is removed at exit. $record is the program.
. "$(dirname "$0")/../tap.sh"
unset FAKE_AGENT FAKE_CPU_NS FAKE_FIRST_RUN FAKE_LOG FAKE_SAMPLES LD_PRELOAD JAVA_TOOL_OPTIONS ASSAY_RECORD

# install_fake DIRECTORY: makes libexec/assay and lib/assay there, as an installation has them
install_fake() {
    mkdir -p "$1/libexec/assay" "$1/lib/assay"
    cp "$build/libexec/assay/assay-record" "$1/libexec/assay/"
    cp "$build/lib/assay/assay-exec" "$1/lib/assay/"
    "${CC:-gcc}" -std=c17 -D_GNU_SOURCE -shared -fPIC -pthread -I"$root" -o "$1/lib/assay/libassay-native.so" \
        "$root/tests/record/fake_agent.c" "$build/lib/trace.a" "$build/lib/base.a" -lzstd -ljansson
}

# compile SOURCE PROGRAM [OPTION...]: compiles tests/record/SOURCE
compile() {
    source=$1
    program=$2
    shift 2
    "${CC:-gcc}" -std=c17 -D_GNU_SOURCE -o "$program" "$root/tests/record/$source" "$@"
}

# install_fake_valgrind: bin/valgrind, a script that leaves files like those of the exact tool and then runs the command, for a
# PATH that begins with $scratch/bin
install_fake_valgrind() {
    unset VALGRIND_LIB VALGRIND_OPTS FAKE_HOW FAKE_CHILD FAKE_MODULE FAKE_ADDRESS FAKE_VERSION FAKE_SAYS
    "${CC:-gcc}" -std=c17 -D_GNU_SOURCE -I"$root" -o fake_raw "$root/tests/record/fake_raw.c" || {
        echo 'Bail out! no fake_raw'
        exit 1
    }
    mkdir bin i/lib/assay/valgrind
    cat >bin/valgrind <<'END'
#!/bin/sh
here=${0%/bin/valgrind}
[ "$1" != --version ] || { echo "valgrind-${FAKE_VERSION:-3.19.0}"; exit; }
echo "$VALGRIND_LIB" "$@" >>"$here/words"
while [ "$1" != -- ]; do
    case $1 in
    --assay-out=*) out=${1#*=} ;;
    esac
    shift
done
shift
[ -z "${FAKE_SAYS-}" ] || printf '%s\n' "$FAKE_SAYS" >"$out-$$.valgrind"
[ "${FAKE_HOW-}" = nothing ] || "$here/fake_raw" "$out-$$.exact" $$ "${FAKE_HOW:-whole}"
if [ -n "${FAKE_CHILD-}" ]; then
    setsid sh -c '"$1/fake_raw" "$2-$$.exact" $$ whole; exec 9>>"$2-$$.exact"; echo $$ >"$1/child.new"
        mv "$1/child.new" "$1/child"; exec sleep 60' x "$here" "$out" >/dev/null 2>&1 &
    until [ -e "$here/child" ]; do sleep 0.02; done
fi
exec "$@"
END
    chmod +x bin/valgrind
    echo 3.19.0 >i/lib/assay/valgrind/VERSION
    : >i/lib/assay/valgrind/assay-amd64-linux
    chmod +x i/lib/assay/valgrind/assay-amd64-linux
}

# wait_for FILE: waits until it has contents, half a minute at most; without them a later check fails
wait_for() {
    wait_until 30 test -s "$1"
}

# is_gone FILE: whether the process whose id it holds has ended
is_gone() {
    ! grep -q '^State:.[^Z]' "/proc/$(cat "$1")/status" 2>/dev/null
}

# count FILE...: how many of these exist
count() {
    n=0
    for f in "$@"; do
        [ -e "$f" ] && n=$((n + 1))
    done
    echo $n
}

# programs DIRECTORY: the names of the programs of the traces there, in order; the shell's just once, because on a slow
# machine its children have traces before they execute a program, too
shell=$(basename "$(readlink -f /bin/sh)")
programs() {
    for trace in "$1"/*.trace; do
        [ -e "$trace" ] && "$build/libexec/assay/assay-info" --format json "$trace" 2>/dev/null | sed -n 's,.*"exe": ".*/\(.*\)".*,\1,p'
    done | sort | awk -v shell="$shell" '$0 != shell || !shells++'
}

# messages FILE: its lines but the one that reports how much CPU time passed before agents had started: on a slow machine
# that is a large part of what a short program uses
messages() {
    grep -Ev '^assay-record: run [0-9]+: [0-9.]+ of [0-9.]+ s of CPU time \([0-9]+ %\) were not sampled: ' "$1"
}

scratch
if ! install_fake "$scratch/i" 2>build.log; then
    sed 's/^/# /' build.log
    echo 'Bail out! no installation to test'
    exit 1
fi
record=$scratch/i/libexec/assay/assay-record
