#!/bin/sh
# assay cache with cachegrind's rules against cachegrind: the same number of instruction fetches and stores, and the same
# misses of loads, stores and fetches in I1, D1 and LL, to the last one.
#
# A program does the same under both if it finds the same: the test's variant of the exact tool (cache/visible.c) does not hide
# Valgrind; the environment is empty but for what is given here; both tools have the same VALGRIND_LIB, whose length shifts
# the stack; and neither chases jumps. Programs that read /proc/self/maps (grep), the time or random numbers (perl, unless
# its hash seed is fixed) would differ. LD_BIND_NOW: the dynamic linker's trampoline saves registers by xsave, whose parts
# that are not saved cachegrind counts as stored. Its loads are not compared: of an atomic instruction it counts two, and of
# one that VEX makes of several loads each.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
[ "$(uname -m)" = x86_64 ] || skip_all 'the exact tool is for x86-64'
command -v valgrind >/dev/null || skip_all 'valgrind is not installed'
scratch
needs tests/analyze/cache/valgrind/assay-amd64-linux
[ -x "$build/tests/analyze/cache/valgrind/assay-amd64-linux" ] || skip_all 'this build has no Valgrind tool'

# An installation of its own for the recorder
lib=$scratch/i/lib/assay/valgrind
mkdir -p "$lib" i/libexec/assay
cp "$build/libexec/assay/assay-record" i/libexec/assay
ln -s "$build"/lib/assay/*.so i/lib/assay
cp -P "$build/tests/analyze/cache/valgrind"/* "$lib"
valgrind_home=$(dirname "$(readlink -f "$lib/vgpreload_core-amd64-linux.so")")
[ -x "$valgrind_home/cachegrind-amd64-linux" ] || skip_all 'valgrind has no cachegrind'
ln -s "$valgrind_home/cachegrind-amd64-linux" "$lib"
launcher=$(command -v valgrind)
[ ! -x "$launcher.bin" ] || launcher=$launcher.bin
ulimit -S -s 8192

# record NAME COMMAND...: NAME.trace
record() {
    name=$1
    shift
    i/libexec/assay/assay-record -q -m memory --fetches --only "${1##*/}" --overwrite -o d -- \
        env -i PATH=/usr/bin:/bin LC_ALL=C LD_BIND_NOW=1 VALGRIND_LIB="$lib" "$@" >out 2>err </dev/null
    cat d/*.trace >"$name.trace"
}

# cachegrind I1 D1 LL COMMAND...: fetches, I1 and LL misses of them; D1 and LL misses of loads; stores, their misses
cachegrind() {
    i1=$1 d1=$2 ll=$3
    shift 3
    rm -f cachegrind.out.*
    VALGRIND_LIB=$lib "$launcher" --tool=cachegrind --command-line-only=yes --vgdb=no -q --trace-children=yes \
        --main-stacksize=16777216 --vex-guest-chase=no --vex-iropt-register-updates=allregs-at-each-insn \
        --px-file-backed=allregs-at-each-insn --cache-sim=yes --I1="$i1" --D1="$d1" --LL="$ll" \
        --cachegrind-out-file=cachegrind.out.%p \
        env -i PATH=/usr/bin:/bin LC_ALL=C LD_BIND_NOW=1 VALGRIND_LIB="$lib" "$@" >out 2>err </dev/null
    sed -n 's/^summary: //p' cachegrind.out.* | awk '{ print $1, $2, $3, $5, $6, $7, $8, $9 }'
}

# ours I1 D1 LL TRACE: the same
ours() {
    "$build/libexec/assay/assay-cache" --cache "cachegrind:D1=$2:LL=$3:I1=$1" --format csv "$4" 2>err |
        awk -F, '$2 == "D1" { load = $4; stores = $6; store = $7 }
            $2 == "LL" { far_load = $4; far_store = $7; far_fetch = $10 }
            $2 == "I1" { fetches = $9; fetch = $10 }
            END { print fetches, fetch, far_fetch, load, far_load, stores, store, far_store }'
}

# same NAME I1 D1 LL COMMAND...: what NAME.trace says, and what cachegrind does
same() {
    name=$1 geometry="$2 $3 $4"
    shift 4
    # shellcheck disable=SC2086
    got=$(ours $geometry "$name.trace")
    # shellcheck disable=SC2086
    expected=$(cachegrind $geometry "$@")
    is "${got%% *}" "${expected%% *}" "$name: it has executed the same under both"
    is "$got" "$expected" "$name, I1, D1, LL: $geometry: every count is that of cachegrind"
    between 1000 "${got%% *}" 1e9 "$name: there are some"
}

awk 'BEGIN { for (i = 0; i < 400; i++) print (i * 7919) % 1009, "line", i, substr("memory accesses of a program", 1, i % 28) }' >input
default='65536,2,64 65536,2,64 262144,8,64'
small='1024,1,32 1024,2,32 8192,4,32'

programs=0
while read -r name command; do
    # shellcheck disable=SC2086
    set -- $command
    [ -x "$1" ] || continue
    record "$name" "$@"
    # shellcheck disable=SC2086
    same "$name" $([ $((programs % 2)) -eq 0 ] && echo "$small" || echo "$default") "$@"
    programs=$((programs + 1))
done <<'END'
gzip /usr/bin/gzip -nc input
ls /usr/bin/ls -d /
sort /usr/bin/sort -S 1M -n input
sha256sum /usr/bin/sha256sum input
wc /usr/bin/wc input
xxd /usr/bin/xxd input
END
between 4 $programs 6 'small programs of Debian were there'
for victim in rep simd masks heap; do
    if gcc -std=c17 -D_GNU_SOURCE -O1 -g -pthread -o $victim "$root/tests/victims/$victim.c" 2>log; then
        record $victim ./$victim 200
        # shellcheck disable=SC2086
        same $victim $([ $victim = heap ] && echo "$default" || echo "$small") ./$victim 200
    else
        skip "$victim can't be compiled here"
    fi
done

# The same trace on other caches: direct-mapped, fully associative, with large lines, and with different ones.
for geometry in '4096,1,64 4096,1,64 16384,1,64' '2048,64,32 2048,32,64 32768,512,64' '8192,2,256 8192,2,256 65536,4,512' \
    '2048,2,64 1024,1,32 4096,2,128'; do
    # shellcheck disable=SC2086
    same gzip $geometry /usr/bin/gzip -nc input
done
done_testing
