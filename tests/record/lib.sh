# lib.sh - for the recorder's tests in sh: TAP, and an installation whose native agent is fake_agent.c.
# Sourced; leaves the shell in an empty directory that is removed at exit. $record is the program.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$root" && cd "${ASSAY_BUILD:-build}" && pwd)
unset FAKE_AGENT FAKE_CPU_NS FAKE_LOG LD_PRELOAD JAVA_TOOL_OPTIONS ASSAY_RECORD

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

# like FILE REGEXP WHAT: a line of FILE matches
like() {
    grep -Eq -- "$2" "$1"
    ok $? "$3"
    grep -Eq -- "$2" "$1" || sed 's/^/# /' "$1"
}

# unlike FILE REGEXP WHAT
unlike() {
    ! grep -Eq -- "$2" "$1"
    ok $? "$3"
}

skip() {
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - # SKIP $1"
}

done_testing() {
    echo "1..$tap_count"
    [ "$tap_failed" -eq 0 ]
}

# install_fake DIRECTORY: libexec/assay and lib/assay as an installation has them
install_fake() {
    mkdir -p "$1/libexec/assay" "$1/lib/assay"
    cp "$build/libexec/assay/assay-record" "$1/libexec/assay/"
    "${CC:-gcc}" -std=c17 -D_GNU_SOURCE -shared -fPIC -pthread -I"$root" -o "$1/lib/assay/libassay-native.so" \
        "$root/tests/record/fake_agent.c" "$build/lib/collect-trace.a" -lzstd -ljansson
}

# compile SOURCE PROGRAM [OPTION...]
compile() {
    source=$1
    program=$2
    shift 2
    "${CC:-gcc}" -std=c17 -D_GNU_SOURCE -o "$program" "$root/tests/record/$source" "$@"
}

# wait_for FILE: until it exists (half a minute at most, then the test fails by what it finds)
wait_for() {
    tries=0
    until [ -e "$1" ] || [ $tries -ge 600 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
}

# count GLOB...: how many of the words are files
count() {
    n=0
    for f in "$@"; do
        [ -e "$f" ] && n=$((n + 1))
    done
    echo $n
}

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
cd "$scratch" || exit 1
if ! install_fake "$scratch/i" 2>build.log; then
    sed 's/^/# /' build.log
    echo 'Bail out! no installation to test'
    exit 1
fi
record=$scratch/i/libexec/assay/assay-record
