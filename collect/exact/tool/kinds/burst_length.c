#include "collect/exact/tool/kinds/burst_length.h"

#include <valgrind/pub_tool_libcproc.h>
#include <valgrind/pub_tool_vki.h>

#include "collect/exact/tool/state/config.h"

/* Gaps of fewer instructions than some blocks have are all the same. */
enum { GAP_REGULAR = 1000, PERIODS_LEAST = 15, PERIODS_LEARNED = 8, UNSEEN_PERCENT = 1 };

static ULong on, off;
static ULong random_state;
static ULong rest;                       /* of the period whose burst was the last one */
static ULong executed;                   /* instructions, about */
static ULong begun;                      /* `executed` when the lengths were chosen */
static ULong bytes_seen[BURST_KINDS], bytes_unseen[BURST_KINDS]; /* since then */

void burst_length_init(void)
{
    struct vki_timespec now;
    VG_(clock_gettime)(&now, VKI_CLOCK_MONOTONIC);
    random_state = (ULong)now.tv_nsec * 0x9e3779b97f4a7c15ULL ^ (ULong)now.tv_sec << 32 ^ (ULong)VG_(getpid)();
    on = config_get()->burst_on;
    off = config_get()->burst_off;
}

ULong burst_length_first(void)
{
    return on / 2;
}

ULong burst_length_second(void)
{
    return on - on / 2;
}

/* splitmix64 (Steele, Lea and Flood 2014) */
static ULong draw(void)
{
    ULong z = random_state += 0x9e3779b97f4a7c15ULL;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return z ^ z >> 31;
}

/* 0: none. */
static ULong share_unseen(void)
{
    ULong most = 0;
    for (UInt i = 0; i < BURST_KINDS; i++) {
        ULong share = bytes_seen[i] ? bytes_unseen[i] * 100 / bytes_seen[i] : 0;
        most = share > most ? share : most;
    }
    return most;
}

static void choose(void)
{
    ULong period = on + off;
    if (executed - begun < PERIODS_LEARNED * period || share_unseen() < UNSEEN_PERCENT ||
        executed < 2 * period * PERIODS_LEAST)
        return;
    on *= 2;
    off *= 2;
    begun = executed;
    for (UInt i = 0; i < BURST_KINDS; i++)
        bytes_seen[i] = bytes_unseen[i] = 0;
}

ULong burst_length_gap(void)
{
    ULong before = rest;
    executed += on + off;
    if (config_get()->burst_auto)
        choose();
    ULong drawn = off < GAP_REGULAR ? off : draw() % (off + 1);
    rest = off - drawn;
    return before + drawn;
}

void burst_length_learn(UInt kind, ULong bytes, ULong unseen_bytes)
{
    bytes_seen[kind] += bytes;
    bytes_unseen[kind] += unseen_bytes;
}
