#include "collect/exact/tool/kinds/burst_length.h"

#include <valgrind/pub_tool_libcproc.h>
#include <valgrind/pub_tool_vki.h>

#include "collect/exact/tool/state/config.h"
#include "collect/exact/tool/state/raw.h"

/* Gaps of fewer instructions than some blocks have are all the same. */
enum { GAP_REGULAR = 1000, PERIODS_LEAST = 15, PERIODS_LEARNED = 8, ERRORS = 4 };
static const double UNSEEN_MOST = 0.01;

static ULong on, off;
static ULong random_state;
static ULong rest;     /* of the period whose burst was the last one */
static ULong executed; /* instructions, about */
static ULong begun;    /* `executed` when the lengths were chosen */
static struct learned {
    ULong bytes, unseen;                       /* since then */
    double all, wasted;                        /* of all bursts, as what follows */
    double all_all, all_wasted, wasted_wasted; /* sums of products */
} learned[BURST_KINDS];

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

/* Whether the unseen share of a kind matters more than the standard error of the wasted one; by squares, since there is
 * no square root here. */
static Bool hides_much(const struct learned *kind)
{
    double unseen = kind->bytes ? (double)kind->unseen / (double)kind->bytes : 0;
    double share = kind->all > 0 ? kind->wasted / kind->all : 0;
    double residuals = kind->wasted_wasted - 2 * share * kind->all_wasted + share * share * kind->all_all;
    return unseen > UNSEEN_MOST && unseen * kind->all * unseen * kind->all > ERRORS * ERRORS * residuals;
}

static Bool hide_much(void)
{
    for (UInt i = 0; i < BURST_KINDS; i++)
        if (hides_much(&learned[i]))
            return True;
    return False;
}

static void choose(void)
{
    ULong period = on + off;
    if (executed - begun < PERIODS_LEARNED * period || executed < 2 * period * PERIODS_LEAST || !hide_much())
        return;
    on *= 2;
    off *= 2;
    begun = executed;
    for (UInt i = 0; i < BURST_KINDS; i++)
        learned[i].bytes = learned[i].unseen = 0;
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

void burst_length_learn(UInt kind, const struct raw_burst *burst)
{
    struct learned *of = &learned[kind];
    double all = (double)burst->bytes, wasted = (double)burst->wasted_bytes;
    of->bytes += burst->bytes;
    of->unseen += burst->unseen_bytes;
    of->all += all;
    of->wasted += wasted;
    of->all_all += all * all;
    of->all_wasted += all * wasted;
    of->wasted_wasted += wasted * wasted;
}
