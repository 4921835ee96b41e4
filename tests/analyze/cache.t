#!/bin/sh
# assay cache: misses of accesses that are known, on caches that are small enough for paper and pencil.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
scratch
needs tests/make_accesses
needs tests/make_trace
cache=$build/libexec/assay/assay-cache
make_accesses=$build/tests/make_accesses
make_trace=$build/tests/make_trace

# rows OPTION... FILE: without the header and the path, rows joined by blanks
rows() {
    "$cache" --format csv "$@" 2>err | sed '1d; s/[^,]*,//' | tr '\n' ' '
}

# bad usage and bad input
"$cache" >out 2>err
is "$? $(wc -c <out)" '2 0' 'no trace: bad usage, nothing printed'
for bad in 'pentium5:not a machine' 'D1=48K,8,64:96 sets' 'D1=32K:three numbers' 'cachegrind\:D1=32K,8,64:two levels'; do
    machine=$(echo "${bad%:*}" | sed 's/\\:/:/')
    "$cache" --cache "$machine" x.trace >out 2>err
    is "$? $(wc -l <err) $(grep -c "^assay-cache: --cache .*${bad##*:}.*athlon-mp" err)" '2 1 1' \
        "--cache $machine: one line says why, and what there is"
done
for bad in --hardware-prefetcher=oracle --sites=-1 --sites=x; do
    "$cache" "$bad" x.trace >out 2>err
    is "$? $(grep -c -- "${bad#*=}" err)" '2 1' "$bad is refused"
done
echo 'main 1 0 0' | "$make_trace" samples.trace
"$cache" --cache pentium4 samples.trace >out 2>err
is "$? $(grep -c 'no accesses: record with --mode memory' err)" '1 1' 'a trace without accesses: status 1, and one line'

# One set of two ways in D1, one of four in L2. Loads of lines A B C A, then a store to B: D1 misses all of them, and L2
# only the first three. The store makes a line that is written back when the load of C replaces A, and that of A it.
cat >lines <<'END'
site load 4 walk:10
site load 4 walk:11
site store 4 set:20
access 1 10 1000
access 1 20 1040
access 2 30 1080
access 1 40 1000
access 3 50 1040
access 2 60 1080
access 2 70 1000
END
"$make_accesses" known.trace 'exact={"instructions":100}' <lines
is "$(rows --cache D1=128,2,64:L2=256,4,64 known.trace)" \
    'D1,6,6,1,1,1,1,,,,0.07,1 L2,6,3,0.5,1,0,0,,,,0.03,0 ' 'misses, rates, misses per instruction, write-backs'
is "$(rows --cache D1=256,4,64:TLB=1,1,4K known.trace)" 'D1,6,3,0.5,1,0,0,,,,0.03,0 DTLB,6,1,0.16666666666666666,1,0,0,,,,0.01, ' \
    'another geometry, and the TLB'
"$cache" --cache D1=128,2,64:L2=256,4,64 --sites 0 --format csv known.trace >out 2>err
is "$(sed 's/[^,]*,//' out | tr '\n' ' ')" \
    'method,line,loads,stores,D1_load_misses,D1_store_misses,L2_load_misses,L2_store_misses walk,file.c:10,3,0,3,0,2,0 walk,file.c:11,3,0,3,0,1,0 set,file.c:20,0,1,0,1,0,0 ' \
    '--sites: the misses of each line'
"$cache" --cache D1=128,2,64 --sites 1 known.trace >out
like out '^2 more lines are not shown' '--sites 1: the rest is noted'
"$cache" --cache cachegrind known.trace >out
like out 'known.trace has no instruction fetches' 'a note says that there are no fetches'

# An instruction that loads and stores the same place, and one that does not; with cachegrind's rules the first makes one
# access.
cat >update <<'END'
site load 8 add:1
site store 8 add:1
access 1 1 2000
access 2 1 2000
access 1 2 2000
access 2 3 2000
END
"$make_accesses" update.trace <update
is "$(rows --cache cachegrind update.trace | cut -d ' ' -f 1)" 'D1,2,1,0.5,1,0,0,,,,,0' 'cachegrind: an update is one access'
is "$(rows --cache D1=64K,2,64 update.trace)" 'D1,2,1,0.5,2,0,0,,,,,0 ' 'otherwise it is two'

# After a gap between bursts caches are empty, and its instructions do not count.
cat >bursts <<'END'
site load 8 loop:1
access 1 10 1000
access 1 20 1000
gap 80
gap 10
access 1 120 1000
access 1 130 1000
gap 50
END
for chunk in 1 100; do
    CHUNK=$chunk "$make_accesses" bursts.trace 'exact={"instructions":180}' <bursts
    is "$(rows --cache D1=1K,2,64 bursts.trace)" 'D1,4,2,0.5,0,0,,,,,0.05,0 ' "bursts: gaps forget, chunks of $chunk"
done
"$cache" --cache D1=1K,2,64 bursts.trace >out
like out 'empty after each of 3 gaps' 'a note tells of gaps'

# Fetches. D1 and I1 have one line, LL two, of 32 bytes. Run 1 has instructions in the lines 400 and 420, and one that
# crosses into 440; run 2 is a rep instruction, twice. In order, with what LL has then, the last used first:
#   fetch 400      miss         400
#   load 1000      miss         1000 400
#   fetch 420      miss         420 1000
#   fetch 43e      miss, of 440: the access goes to LL as a whole, which uses 420, too: 440 420
#   load 1020      miss         1020 440
# and run 1 again, left after the second instruction:
#   fetch 400      miss         400 1020
#   load 1000      miss of LL   1000 400
#   fetch 420      miss         420 1000
# then the rep instruction in line 420, which I1 has: three fetches, and two loads of line 1020, which LL does not have.
cat >fetches <<'END'
site load 4 walk:1
code 1 400 4 1
code 1 420 4 2
code 1 43e 4 3
code 2 424 2 1
code 2 424 2 1
fetch 1 0 3
access 1 1 1000
access 1 3 1020
fetch 1 3 2
access 1 4 1000
fetch 2 5 2
access 1 6 1020
access 1 6 1024
fetch 2 5 1
END
machine=cachegrind:D1=32,1,32:LL=64,2,32:I1=32,1,32
for chunk in 1 2 100; do
    CHUNK=$chunk "$make_accesses" fetches.trace fetches=true 'exact={"instructions":6}' <fetches
    is "$(rows --cache $machine fetches.trace)" \
        'D1,5,4,0.8,0,0,,,,,0.6666666666666666,0 LL,4,4,1,0,0,,5,5,1,1.5,0 I1,,,,,,,8,5,0.625,0.8333333333333334, ' \
        "fetches: they and loads share LL, in order, chunks of $chunk"
done
is "$(rows --cache D1=32,1,32 fetches.trace | cut -d , -f 1-3,8,9)" 'D1,5,4,,' 'a machine without I1 has no fetches'
{ cat fetches; echo 'fetch 3 6 1'; } | "$make_accesses" lost.trace fetches=true
"$cache" --cache $machine lost.trace >out 2>err
is "$? $(grep -c 'leaves out 1 accesses or executions' err)" '1 1' 'an execution of undefined code: status 1, and one line'
# A gap stands among the fetches; the same gap in kind iteration does not count twice.
printf '%s\n' 'site load 4 a:1' 'code 1 400 4 1' 'fetch 1 0 1' 'access 1 1 1000' 'gap 7' 'fetch 0 1 7' 'fetch 1 8 1' \
    'access 1 9 1000' | "$make_accesses" gap.trace fetches=true 'exact={"instructions":9}'
is "$(rows --cache $machine gap.trace)" 'D1,2,2,1,0,0,,,,,1,0 LL,2,2,1,0,0,,2,2,1,2,0 I1,,,,,,,2,2,1,1, ' \
    'fetches: a gap forgets, once'

# the hardware prefetcher: lines 1 to 9 of a page in a row
awk 'BEGIN { print "site load 8 loop:1"; for (i = 1; i < 10; i++) printf "access 1 %d %x\n", 1000 * i, 4096 + 64 * i }' |
    "$make_accesses" stream.trace
is "$(rows --cache D1=1K,2,64:L2=8K,2,64 --hardware-prefetcher next-line stream.trace | cut -d ' ' -f 2)" \
    'L2,9,1,0.1111111111111111,0,0,,,,,,0' '--hardware-prefetcher next-line: one miss of L2'
is "$(rows --cache D1=1K,2,64:L2=8K,2,64 stream.trace | cut -d ' ' -f 2)" 'L2,9,9,1,0,0,,,,,,0' 'levels as text have none'

# undefined sites, and a JVM's order
printf 'site load 8 a:1\naccess 1 1 1000\naccess 7 2 2000\n' | "$make_accesses" unknown.trace
"$cache" --cache D1=1K,2,64 unknown.trace >out 2>err
is "$? $(grep -c 'leaves out 1 accesses or executions that are not defined' err)" '1 1' 'an access without a site: status 1, and one line'
"$make_accesses" jvm.trace access_order=thread <lines
"$cache" --cache D1=1K,2,64 jvm.trace >out
like out 'in the order in which they were handed over' 'a note tells that threads are not in order'

# a damaged trace
CHUNK=2 "$make_accesses" damaged.trace <lines
size=$(wc -c <damaged.trace)
{ head -c $((size - 400)) damaged.trace; printf 'XXXX'; tail -c 396 damaged.trace; } >broken.trace
"$cache" --cache D1=1K,2,64 broken.trace >out 2>err
is "$? $(grep -c '^assay-cache: broken.trace: ' err)" '1 1' 'a damaged trace: status 1, and one line'

# every format, and the same however traces are divided, ordered and merged
for format in text tsv json markdown latex html; do
    "$cache" --cache pentium4 --format $format known.trace >out 2>err
    is "$? $(grep -c D1 out | awk '{ print ($1 > 0) }')" '0 1' "--format $format: status 0, with a level"
done
machine=D1=128,2,64:L2=256,4,64
for view in '' '--sites 0'; do
    # shellcheck disable=SC2086
    {
        "$cache" --cache $machine $view --format csv bursts.trace known.trace stream.trace >whole
        for jobs in 1 3; do
            ASSAY_PART_RECORDS=1 "$cache" -j $jobs --cache $machine $view --format csv stream.trace known.trace bursts.trace >out
            is "$(cat out)" "$(cat whole)" "$view -j $jobs: the same in any order"
        done
        "$cache" --cache $machine --save-state one.state known.trace bursts.trace
        "$cache" --cache $machine --save-state two.state stream.trace
        "$build/libexec/assay/assay-merge" -o all.state two.state one.state
        for states in 'one.state two.state' all.state; do
            "$cache" --cache $machine $view --format csv $states | sort >out
            is "$(cat out)" "$(sort whole)" "$view: saved states give the same rows: $states"
        done
    }
done
is "$("$cache" --format csv one.state)" "$("$cache" --cache $machine --format csv one.state)" \
    'a state brings its machine'
"$cache" --cache pentium4 one.state >out 2>err
is "$? $(grep -c 'was saved with other options' err)" '1 1' 'a state of another machine: status 1, and one line'
for damage in 's/"traces":\[/"traces":[x/' 's/\("traces":\[\[0,0,\)[0-9]*/\1-1/' 's/\("locations":\[\[\)0/\19/' 's/"locations":/"places":/' \
    's/"machine":/"engine":/'; do
    sed "$damage" one.state >bad.state
    "$cache" --cache $machine bad.state >out 2>err
    is "$? $(wc -l <err) $(cmp -s one.state bad.state || echo damaged)" '1 1 damaged' "a state damaged by $damage: status 1, and one line"
done
done_testing
