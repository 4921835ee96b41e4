# tap.sh - for tests in sh: TAP, paths, and an empty directory to work in. A test sources it before anything else:
#   . "$(dirname "$0")/../tap.sh"
# With TAP_TIMES=1 in the environment, each check is followed by the CPU time of the shell and its children so far.
# Sets $root and $build; `scratch` changes to a directory that is removed at exit. The values of a failed check follow it
# as comments; `make test` shows both.
set -u
root=$(cd -- "$(dirname -- "$0")/../.." && pwd)
build=$(cd "$root" && cd "${ASSAY_BUILD:-build}" && pwd) || exit 1
tap_count=0
tap_failed=0

scratch() {
    scratch=$(mktemp -d) || exit 1
    trap 'rm -rf "$scratch"' EXIT
    chmod 755 "$scratch"
    cd "$scratch" || exit 1
}

# needs TARGET...: builds tools of the tests, by their paths in the build; bails out if one can't be built
needs() {
    for target in "$@"; do
        MAKEFLAGS='' make KEEP_FLAGS=1 -s -C "$root" BUILD="${build#"$root"/}" "${build#"$root"/}/$target" >&2 || {
            echo "Bail out! no $target"
            exit 1
        }
    done
}

# compile_java ARGUMENT...: javac (or $JAVAC) with the compiler and collector that start fastest: it takes half of the CPU time
compile_java() {
    "${JAVAC:-javac}" -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC "$@"
}

# ok STATUS WHAT: returns the status
ok() {
    tap_count=$((tap_count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $tap_count - $2"
    else
        echo "not ok $tap_count - $2"
        tap_failed=$((tap_failed + 1))
    fi
    [ -z "${TAP_TIMES-}" ] || times >&2
    return "$1"
}

# is GOT EXPECTED WHAT
is() {
    [ "$1" = "$2" ]
    ok $? "$3" || printf '%s\n' got: "$1" expected: "$2" | sed 's/^/# /'
}

# like FILE REGEXP WHAT: a line of FILE matches
like() {
    grep -Eq -- "$2" "$1"
    ok $? "$3" || { echo "expected: $2" && cat "$1"; } | sed 's/^/# /'
}

# unlike FILE REGEXP WHAT
unlike() {
    ! grep -Eq -- "$2" "$1"
    ok $? "$3" || sed 's/^/# /' "$1"
}

# between LOW GOT HIGH WHAT: compares numbers; fails if GOT is empty
between() {
    awk -v low="$1" -v got="$2" -v high="$3" 'BEGIN { exit !(got != "" && got + 0 >= low + 0 && got + 0 <= high + 0) }'
    ok $? "$4" || echo "# not $1 <= '$2' <= $3"
}

# wait_until SECONDS COMMAND...: until the command succeeds; returns whether it did in that time
wait_until() {
    tries=$(($1 * 20))
    shift
    until "$@"; do
        [ $((tries -= 1)) -gt 0 ] || return
        sleep 0.05
    done
}

skip() {
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - # SKIP $1"
}

skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

done_testing() {
    echo "1..$tap_count"
    [ "$tap_failed" -eq 0 ]
}
