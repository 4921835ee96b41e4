#!/bin/sh
# assay strides: what it plans and simulates, its options, states, and what it says of bad input. The strides themselves are
# compared with those derived on paper by strides_known.t.
. "$(dirname "$0")/../tap.sh"
[ "$(uname -m)" = x86_64 ] || skip_all 'engine exact is for x86-64'
command -v valgrind >/dev/null || skip_all 'valgrind is not installed'
unset LD_PRELOAD ASSAY_RECORD
scratch
programs=$build/libexec/assay
# 32 KB, so that what a victim has in its arrays misses
machine=D1=32K,8,64:TLB=64,64,4K

# strides ARGUMENT...
strides() {
    "$programs/assay-strides" --cache "$machine" --hardware-prefetcher none "$@"
}

# victims ARGUMENT...: the rows of the victim's own loads
victims() {
    strides -q --format tsv "$@" | grep -e ^site -e ^victim_
}

# cell FILE SITE COLUMN: of the first row of that site
cell() {
    awk -F '\t' -v site="$2" -v name="$3" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["site"] ~ site "$" { print $at[name]; exit }' "$1"
}

# mark NAME: the line of the victim that is called so
mark() {
    grep -n "/\* @$1 " "$root/tests/victims/strides/records.c" | cut -d : -f 1
}

"${CC:-gcc}" -std=c17 -D_GNU_SOURCE -Og -g -o records "$root/tests/victims/strides/records.c" || exit 1
"$programs/assay-record" -q -m memory --values -o traces -- ./records >/dev/null 2>err
is $? 0 'a victim is recorded'

# The plan of §3.3: the array of pointers leads to what has no stride of its own, and on from there.
victims traces/*.trace >all.tsv
is $? 0 'its strides are found'
like all.tsv "shuffled:$(mark record)	.*a = spec_load[(]A [+] 8[*][0-9]+[)]" 'what leads to others is loaded ahead'
like all.tsv "shuffled:$(mark count)	.*prefetch[(]a [+] 8 [+] 136[)]" 'a load at a constant distance is prefetched along it'
like all.tsv "ordered:$(mark ordered_detail)	.*prefetch[(]A [+] 256[*][0-9]+[)]" 'a load with a stride is prefetched along it'
is "$(cell all.tsv "shuffled:$(mark count)" issued)" 1000 'once an iteration'
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["issued"] != $at["useful"] + $at["late"] + $at["useless"] + $at["resident"] + $at["dropped"] { print }' all.tsv >unequal
is "$(cat unequal)" '' 'issued = useful + late + useless + resident + dropped, of each load'

# summary NAME FILE
summary() {
    python3 -c 'import json, sys; s = json.load(open(sys.argv[2]))["summary"]; print(eval(sys.argv[1], {}, s))' "$1" "$2"
}
strides -q --format json traces/*.trace >all.json
strides -q --algorithm inter --format json traces/*.trace >inter.json
is "$(summary 'issued == useful + late + useless + resident + dropped' all.json)" True '… and in sum'
is "$(summary 'issued - late - useless - resident - dropped' all.json)" "$(summary useful all.json)" 'to the last one'
strides -q --format json --plot misses.svg traces/*.trace >drawn.json
ok "$(cmp -s all.json drawn.json && grep -q '>Load misses per 1000 instructions<' misses.svg; echo $?)" \
    '--plot draws the misses of each level, beside the same table'
before=$(summary 'misses["levels"][0]["loads"]' all.json)
is "$before" "$(summary 'misses["levels"][0]["loads"]' inter.json)" 'misses without a plan do not depend on the plan'
ok "$([ "$(summary 'misses_with_plan["levels"][0]["loads"]' all.json)" -lt "$((before * 2 / 3))" ]; echo $?)" \
    'through values loaded ahead, a third of the misses go'
ok "$([ "$(summary 'misses_with_plan["levels"][0]["loads"]' inter.json)" -gt "$((before * 2 / 3))" ]; echo $?)" \
    'along strides alone they do not'
like all.tsv "shuffled:$(mark record)	.*strong single" 'classes of Wu stand beside'

# A distance of one iteration: the address is known, and the line comes too late.
victims --distance 1 --always traces/*.trace >one.tsv
like one.tsv "ordered:$(mark ordered_detail)	.*prefetch[(]A [+] 256[*]1[)]" '--distance 1'
between 900 "$(cell one.tsv "ordered:$(mark ordered_detail)" late)" 999 'one iteration ahead is too late as a rule'
is "$(cell one.tsv "ordered:$(mark ordered_detail)" useless)" 1 'and the last prefetch is beyond the end'

# A cache that holds everything: there is nothing to gain.
"$programs/assay-strides" -q --cache D1=16M,16,64 --format tsv traces/*.trace | grep -e ^site -e ^victim_ >big.tsv
like big.tsv "shuffled:$(mark record)	.*don't" 'where everything is in the cache, it says: don'"'"'t'
victims --majority 95% traces/*.trace >strict.tsv
is "$(cell strict.tsv "some:$(mark some_count)" kind)" none '--majority: nine of ten are not more than 95 %'
is "$(cell all.tsv "some:$(mark some_count)" kind)" intra 'but more than 75 %'
victims --iterations 20 traces/*.trace >twenty.tsv
is "$(cell twenty.tsv "shuffled:$(mark record)" executions)" 20 '--iterations 20'
is "$(cell twenty.tsv "shuffled:$(mark record)" kind)" inter 'is enough to see the stride'

# Five bursts of ten iterations: the stride is 8 in the first one, and 16 in the others. Of three iterations each two strides are
# seen: 2 of 8 and 8 of 16, which are 80 %. The first three alone would be too few to tell.
awk 'BEGIN {
    print "loop walk:1\nsite load 8 walk:2 1"
    for (burst = 0; burst < 5; burst++) {
        print "gap 1000"
        for (i = 0; i < 10; i++) printf "iteration 1\naccess 1 %d %x\n", ++n, 1048576 * (burst + 1) + i * (burst ? 16 : 8)
    }
}' | "$build/tests/make_accesses" bursts.trace mode=memory
strides -q --iterations 3 --format tsv bursts.trace >bursts.tsv
is "$(cell bursts.tsv walk:2 executions) $(cell bursts.tsv walk:2 kind) $(cell bursts.tsv walk:2 stride)" '15 inter 16' \
    'in bursts, --iterations is those of each burst'
is "$(cell bursts.tsv walk:2 majority)" 0.8 '  of which the strides make up their share'

# Lines to paste
strides -q --code --format tsv traces/*.trace | grep records.c >code
like code '&at\[i\] [+] 8 [*] [0-9]+[)];' '--code: the element that is loaded ahead'
like code '__builtin_prefetch[(]ahead_[0-9]+ [+] 144[)]; /[*] victim_shuffled:[0-9]+ [*]/' 'and what it leads to'

# Four loads on one line, of which the first one leads.
cat >chain.c <<'END'
#include <stdlib.h>
struct part { long pad[30]; long *values; };
struct whole { long pad[30]; struct part *part; };
__attribute__((noipa)) static long victim_chain(struct whole **v, long n) {
    long s = 0;
    for (long i = 0; i < n; i++)
        s += v[i]->part->values[i % 4];
    return s;
}
int main(void) {
    struct whole **v = calloc(4001, sizeof *v);
    for (long i = 0; i < 4000; i++) {
        long other = rand() % (i + 1);
        v[i] = v[other], v[other] = calloc(1, sizeof **v);
        v[other]->part = calloc(1, sizeof *v[i]->part), v[other]->part->values = calloc(4, 8);
    }
    return (int)victim_chain(v, 4000);
}
END
"${CC:-gcc}" -std=c17 -Og -g -o chain chain.c || exit 1
"$programs/assay-record" -q -m memory --values -o chains -- ./chain >/dev/null 2>err
strides -q --always --code --format tsv chains/*.trace | grep '^[^	]*chain.c	7' >code
like code '[(]const char [*][)]&v\[i\] [+] 8 [*] [0-9]+[)]' '--code: of a chain of loads the one that leads'
is "$(grep -c LOADED code)" 0 '… which needs no word of the reader'

# The same result from parts and saved states, for any number of threads
cp traces/*.trace again.trace
strides -q --format tsv traces/*.trace again.trace >two.tsv
strides -q -j 1 --format tsv again.trace traces/*.trace >one_thread.tsv
is "$(cmp two.tsv one_thread.tsv && echo same)" same 'two traces: the same by one thread, in any order'
strides -q --save-state a.state traces/*.trace
strides -q --save-state b.state again.trace
strides -q --format tsv a.state b.state >states.tsv
is "$(cmp two.tsv states.tsv && echo same)" same 'and from saved states'
"$programs/assay-merge" -o both.state a.state b.state 2>err
strides -q --format tsv both.state >merged.tsv
is "$(cmp two.tsv merged.tsv && echo same)" same 'and merged ones'
strides --majority 60% a.state >out 2>err
is "$?" 1 'a state of other options is refused'
like err 'other options' 'in one line'
is "$(cell two.tsv "shuffled:$(mark count)" executions)" 2000 'two traces add up'

# Without values there are no dependences, and it says so.
"$programs/assay-record" -q -m memory -o bare -- ./records >/dev/null 2>err
strides --format tsv bare/*.trace >bare.tsv 2>err
is $? 0 'a trace without values has strides'
like err 'no values' 'and a warning that nothing else is known'
is "$(cut -f 3 bare.tsv | grep -c -e intra -e indirect)" 0 'no load has a partner'

# Bad input
for bad in --cache=none --cache=D1=3K,4,64 --majority=2 --iterations=1 --distance=x --algorithm=intra; do
    "$programs/assay-strides" "$bad" traces/*.trace >out 2>err
    is "$? $(wc -c <out)" '2 0' "$bad is refused"
done
"$programs/assay-strides" --cache=none traces/*.trace >out 2>err
is "$(wc -l <err)" 1 'an unknown machine: one line'
like err 'pentium4' 'which names those that there are'
: >empty
strides empty >out 2>err
is "$? $(wc -l <err)" '1 1' 'an empty file: one line'
head -c 100000 again.trace >cut.trace
strides --format tsv cut.trace >cut.tsv 2>err
is $? 1 'a cut trace gives status 1'
like err 'cut.trace' 'names the file'
is "$(head -n 1 cut.tsv | cut -f 1)" site 'and still has what could be read'
strides traces/*.trace >/dev/full 2>err
is $? 1 'a full disk gives status 1'
like err 'No space left' 'and one line'
"$programs/assay-record" -q -o cpu -- sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done' >/dev/null 2>&1
strides cpu/*.trace >out 2>err
is $? 1 'a trace without accesses is no answer'
like err 'mode memory' 'and the warning says how to record them'
# A small loop that two others share is a part of each of them; and accesses of a damaged chunk keep their numbers.
cat >shared.c <<'END'
#include <stdlib.h>
volatile long sink;
__attribute__((noipa)) static long victim_sum(const long *v) {
    long s = 0; for (int i = 0; i < 4; i++) s += v[i]; return s;
}
__attribute__((noipa)) static void first(const char *p) {
    for (long i = 0; i < 300; i++) sink = victim_sum((const long *)(p + i * 256));
}
__attribute__((noipa)) static void second(const char *p) {
    for (long i = 0; i < 3000; i++) sink = victim_sum((const long *)(p + i * 512));
}
int main(void) {
    const char *p = calloc(1, 2 << 20); first(p); for (int k = 0; k < 60; k++) second(p); return 0;
}
END
"${CC:-gcc}" -std=c17 -D_GNU_SOURCE -Og -g -o shared shared.c || exit 1
"$programs/assay-record" -q -m memory --values -o twice -- ./shared >/dev/null 2>err
victims twice/*.trace >shared.tsv
like shared.tsv 'victim_sum:4	first:7	inter		256	1	300	' 'a loop called from two others is looked at in the first one'
like shared.tsv 'victim_sum:4	second:10	inter		512	1	180000	' '… and in the second one'
python3 - twice/*.trace >cut.trace <<'END'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
at, chunks = 24 + struct.unpack_from("<I", data, 12)[0], []
while data[at:at + 4] == b"CHNK":
    if data[at + 4] == 21:
        chunks.append(at)
    at += 44 + struct.unpack_from("<I", data, at + 32)[0]
data[chunks[0] + 44 + 16 * data[chunks[0] + 5] + 5] ^= 1
sys.stdout.buffer.write(data)
END
victims --keep-going cut.trace >cut.tsv
like cut.tsv 'victim_sum:4	second:10	inter		512	1	[1-9]' 'behind a damaged chunk the iterations are those of their accesses'

done_testing
