# lib.sh - for the native agent's tests in sh: TAP, victims and the agent without a recorder.
# Sourced; leaves the shell in an empty directory that is removed at exit.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$root" && cd "${BUILD:-build}" && pwd)
agent=$build/lib/assay/libassay-native.so
resolve=$build/libexec/assay/assay-resolve
unset LD_PRELOAD ASSAY_RECORD ASSAY_RECORDED DEBUGINFOD_URLS

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

# between LOW VALUE HIGH WHAT
between() {
    awk -v low="$1" -v value="$2" -v high="$3" 'BEGIN {exit !(value + 0 >= low + 0 && value + 0 <= high + 0)}'
    ok $? "$4"
    echo "# $1 <= $2 <= $3"
}

skip() {
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - # SKIP $1"
}

done_testing() {
    echo "1..$tap_count"
    [ "$tap_failed" -eq 0 ]
}

# compile NAME [OPTION...]: a victim, as ./NAME
compile() {
    name=$1
    shift
    "${CC:-gcc}" -std=c17 -D_GNU_SOURCE -pthread -o "$name" "$root/tests/victims/$name.c" "$@"
}

# sampled DIRECTORY COMMAND...: runs it under the agent, with $config among the settings; traces go to DIRECTORY.d
config=''
sampled() {
    directory=$scratch/$1.d
    shift
    mkdir -p "$directory"
    chmod 777 "$directory"
    ASSAY_RECORD="{\"directory\":\"$directory\",\"prefix\":\"run\",\"seed\":1$config}" LD_PRELOAD=$agent "$@"
}

# lines DIRECTORY REGEXP: of the text of all traces in it
lines() {
    ./trace_text "$1".d/*.trace | grep -E -- "$2"
}

# lost DIRECTORY CAUSE
lost() {
    ./trace_text "$1".d/*.trace | awk -v cause="$2" '/^lost/ {n = $NF; sub(/^lost /, ""); sub(/ [0-9]+$/, "");
        if ($0 == cause) sum += n} END {print sum + 0}'
}

# wait_for FILE: until there is something in it (half a minute at most, then the test fails by what it finds)
wait_for() {
    tries=0
    until [ -s "$1" ] || [ $tries -ge 300 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
}

# traces DIRECTORY: how many
traces() {
    find "$1".d -name '*.trace' | wc -l
}

# cpu_ms DIRECTORY: CPU time of all threads while they were looked at
cpu_ms() {
    lines "$1" '^thread' | awk '{sum += $NF - $(NF - 2)} END {printf "%.0f", sum / 1e6}'
}

# samples DIRECTORY
samples() {
    lines "$1" '^sample' | wc -l
}

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
cd "$scratch" || exit 1
if ! make -s -C "$root" BUILD="$build" "$build/tests/engine/trace_text" >build.log 2>&1; then
    sed 's/^/# /' build.log
    echo 'Bail out! no tool to look into traces with'
    exit 1
fi
cp "$build/tests/engine/trace_text" .
