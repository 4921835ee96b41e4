# calls.sh - for the tests of calls that engines watch and trampoline choose, sourced: the engines that work here, and programs.
# Enters an empty directory that is removed at exit.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
[ "$(uname -m)" = x86_64 ] || skip_all 'debug registers of x86-64'
scratch
unset LD_PRELOAD ASSAY_RECORD ASSAY_RECORDED JAVA_TOOL_OPTIONS
record=$build/libexec/assay/assay-record
variance=$build/libexec/assay/assay-variance
dump=$build/libexec/assay/assay-dump
victims=$root/tests/victims/calls
engines=
for engine in watch trampoline; do
    "$record" -q -m calls -E $engine -o probe -- true 2>err
    grep -q 'no watchpoints\|engine trampoline' err || engines="$engines $engine"
done
[ "$engines" ] || skip_all "$(cat err)"
"${CC:-gcc}" -O1 -g -pthread -fno-optimize-sibling-calls -o known "$victims/known.c" || exit 1

# chosen DIRECTORY OPTION... -- COMMAND...: records it
chosen() {
    directory=$1
    shift
    timeout -k 1 600 "$record" -q -m calls -E $engine -p 3ms --max-cost 100% --seed 1 -o "$directory" "$@" >"$directory.out" 2>"$directory.err"
}
