#!/bin/sh
# Bursts of the exact tool on programs whose fractions are known on paper: pairs longer than a burst, waste in one phase
# alone, places that start afresh, bursts that are lengthened (auto). The bursts lie at random, so that values are compared
# within bounds that follow from the program; intervals must contain the value.
LC_ALL=C
export LC_ALL
. "$(dirname "$0")/../tap.sh"
[ "$(uname -m)" = x86_64 ] || skip_all 'the programs are compiled for x86-64'
command -v valgrind >/dev/null || skip_all 'valgrind is not installed'
needs tests/exact/tool/machine
scratch
record=$build/libexec/assay/assay-record
waste=$build/libexec/assay/assay-waste
dump=$build/libexec/assay/assay-dump

# Each loop's body loads (or stores) 8 bytes once, in registers otherwise; a round of all places of `long` takes about
# 5 * 65536 instructions.
cat >known.c <<'END'
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 1 << 16 };
static volatile uint64_t places[PLACES], one, sink;

static void load_all(uint64_t rounds)
{
    for (uint64_t round = 0; round < rounds; round++)
        for (uint64_t i = 0; i < PLACES; i++)
            (void)places[i];
}

static void store_one(uint64_t times, uint64_t step)
{
    uint64_t value = 1;
    for (uint64_t i = 0; i < times; i++)
        one = value += step;
}

/* Stores to fresh blocks, of 8 bytes in each of their words. */
static void store_fresh(uint64_t blocks)
{
    for (uint64_t b = 0; b < blocks; b++) {
        volatile uint64_t *block = malloc(4096);
        for (int i = 0; i < 512; i++)
            block[i] = 7;
        free((void *)block);
    }
}

int main(int argc, char **argv)
{
    uint64_t n = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    if (strcmp(argv[1], "long") == 0)
        load_all(n);
    else if (strcmp(argv[1], "fresh") == 0)
        store_fresh(n);
    else if (strcmp(argv[1], "silent") == 0)
        store_one(n, 0);
    else if (strcmp(argv[1], "phases") == 0) { /* a quarter of the stores is silent */
        store_one(3 * n, 1);
        store_one(n, 0);
    }
    return 0;
}
END
"${CC:-gcc}" -O1 -fno-tree-vectorize -o known known.c

# in_bursts MODE BURST ARGUMENT…: records ./known, and prints `fraction lo hi unseen bursts`, in percent
in_bursts() {
    mode=$1 burst=$2
    shift 2
    "$record" -q --no-profile --engine exact -m "$mode" --burst "$burst" --overwrite -o recorded -- ./known "$@" 2>log || sed 's/^/# /' log
    "$waste" recorded/*.trace >>log 2>&1
    "$waste" --format csv recorded/*.trace 2>>log | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 { printf "%.2f %.2f %.2f %.2f %d\n", 100 * $at["fraction"], 100 * $at["lo"], 100 * $at["hi"],
            100 * $at["unseen"], $at["bursts"] }'
}
# holds CONDITION TEXT: an awk condition on f (fraction), lo, hi, u (unseen) and n (bursts)
holds() {
    echo "$got" | awk '{ f = $1; lo = $2; hi = $3; u = $4; n = $5; exit !('"$1"') }'
    ok $? "$2" || echo "# got: $got"
}

# All loads but the first round are silent; a place recurs after some 330,000 instructions. In bursts of 50,000 none does.
got=$(in_bursts silent-load 50000:450000 long 200)
holds 'n > 50 && u > 95' 'pairs longer than a burst: nearly everything is unseen'
holds 'lo < 5 && (hi > 95 || f == 0)' '  they are called neither unwasted nor wasted'
like log 'repeat accesses from before the burst' '  and a line tells it'
# In the second half of bursts of 2 million all but what another round would show is seen.
got=$(in_bursts silent-load 2M:2M long 200)
holds 'u < 1 && f > 98 && hi >= 99 && lo > 80' 'in longer bursts they are seen, and silent'
# Lengths chosen from the data get there by themselves. 2 million are enough at once.
got=$(in_bursts silent-load auto long 200)
holds 'u < 1 && f > 98' '  and in those that are chosen'

# A store of the same value is silent whatever came before the burst: nothing is unseen after the burst's first store.
got=$(in_bursts silent-store 1000:9000 silent 5000000)
holds 'n > 1000 && f > 98 && u < 1 && lo > 95' 'silent stores: bursts see them all'
# Only the last quarter of the stores is silent; the others store other values, so that none is unseen. What is, lies before
# main: the dynamic linker stores kilobytes of registers at once, now and then in a burst.
got=$(in_bursts silent-store 1000:9000 phases 1000000)
holds 'n > 1000 && f > 22 && f < 28 && lo <= 25 && hi >= 25' 'waste in one phase alone: its share of the program'
holds 'u < 1 && hi - lo < 10' '  in a narrow interval'
# Of stores to fresh blocks none is dead or silent, and those whose block began in the burst are known not to be.
got=$(in_bursts silent-store 20000:180000 fresh 20000)
holds 'n > 100 && f < 1 && hi < 10' 'stores to fresh memory are not silent'
got=$(in_bursts dead-store 20000:180000 fresh 20000)
holds 'f < 1 && u < 15' '  nor dead, and few of them are unseen'

# of_pairs, of_bursts: of each kind the bytes and the wasted bytes, by the pairs and totals, and by the bursts
of_pairs() {
    "$waste" --format csv recorded/*.trace 2>log | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR > 1 { print $1, $at["bytes"], $at["wasted_bytes"] }' | sort
}
of_bursts() {
    "$dump" --kind burst recorded/*.trace | awk -F, '
        NR > 1 { all[$3] += $4; wasted[$3] += $5; n += $6 + $7 > $4 || $8 > $7 }
        END { for (kind in all) printf "%s %d %d\n", kind, all[kind], wasted[kind]; if (n) print n, "rows exceed the whole" }' | sort
}
# Each access is counted twice, independently: in its pair, and in its burst. Both must have the same bytes, of programs of
# any accesses (random.t), in each mode, and of several threads.
for mode in waste silent-load silent-store dead-store spatial-load; do
    "$record" -q --no-profile --engine exact -m $mode --burst 2000:3000 --overwrite -o recorded -- \
        "$build/tests/exact/tool/machine" run 7 200 >log 2>&1
    wanted=$(of_pairs)
    is "$(of_bursts)" "$wanted" "mode $mode: the bursts of random programs have the bytes of all pairs and totals" || sed 's/^/# /' log
done
cat >threads.c <<'END'
#include <pthread.h>
#include <stdint.h>

static volatile uint64_t cells[64];
static void *run(void *argument)
{
    for (uint64_t i = 0; i < 300000; i++)
        cells[i % 64] = cells[(i + 7) % 64] + ((uintptr_t)argument & 1);
    return NULL;
}
int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, run, (void *)1);
    run(NULL);
    return pthread_join(other, NULL);
}
END
"${CC:-gcc}" -O1 -pthread -o threads threads.c
"$record" -q --no-profile --engine exact -m waste --burst 20000:30000 --overwrite -o recorded -- ./threads >log 2>&1
wanted=$(of_pairs)
is "$(of_bursts)" "$wanted" '  and so have those of two threads'
is "$("$dump" --kind burst recorded/*.trace | awk -F, 'NR > 1 { n[$3]++ } END { print n["dead-store"] == n["silent-store"], n["dead-store"] == n["silent-load"] }')" \
    '1 1' '  and each burst has a row for each kind'
done_testing
