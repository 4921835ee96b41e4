#include "collect/bursts/length.h"

/* Gaps of fewer instructions than some blocks have are all the same. */
enum { GAP_REGULAR = 1000, PERIODS_LEAST = 15, PERIODS_LEARNED = 8, ERRORS = 4 };
static const double UNSEEN_MOST = 0.01;

static uint64_t on, off;
static uint64_t random_state;
static bool chosen;
static uint64_t rest;     /* of the period whose burst was the last one */
static uint64_t executed; /* instructions, about */
static uint64_t begun;    /* `executed` when the lengths were chosen */
static struct learned {
    uint64_t bytes, unseen;                    /* since then */
    double all, wasted;                        /* of all bursts, as what follows */
    double all_all, all_wasted, wasted_wasted; /* sums of products */
} learned[BURST_KINDS];

void burst_length_init(const struct burst_lengths *lengths)
{
    random_state = lengths->seed;
    on = lengths->on;
    off = lengths->off;
    chosen = lengths->chosen;
}

uint64_t burst_length_first(void)
{
    return on / 2;
}

uint64_t burst_length_second(void)
{
    return on - on / 2;
}

/* splitmix64 (Steele, Lea and Flood 2014) */
static uint64_t burst_length_random(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15ULL;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return z ^ z >> 31;
}

static void burst_length_choose(void)
{
    uint64_t period = on + off;
    bool much = false;
    if (executed - begun < PERIODS_LEARNED * period || executed < 2 * period * PERIODS_LEAST)
        return;
    /* The unseen share of a kind matters if it exceeds the standard error of the wasted one; by squares, since there is
     * no square root here. */
    for (unsigned i = 0; i < BURST_KINDS && !much; i++) {
        const struct learned *kind = &learned[i];
        double unseen = kind->bytes ? (double)kind->unseen / (double)kind->bytes : 0;
        double share = kind->all > 0 ? kind->wasted / kind->all : 0;
        double residuals = kind->wasted_wasted - 2 * share * kind->all_wasted + share * share * kind->all_all;
        much = unseen > UNSEEN_MOST && unseen * kind->all * unseen * kind->all > ERRORS * ERRORS * residuals;
    }
    if (!much)
        return;
    on *= 2;
    off *= 2;
    begun = executed;
    for (unsigned i = 0; i < BURST_KINDS; i++)
        learned[i].bytes = learned[i].unseen = 0;
}

uint64_t burst_length_gap(void)
{
    uint64_t before = rest;
    executed += on + off;
    if (chosen)
        burst_length_choose();
    uint64_t gap = off < GAP_REGULAR ? off : burst_length_random() % (off + 1);
    rest = off - gap;
    return before + gap;
}

void burst_length_learn(unsigned kind, uint64_t bytes, uint64_t wasted_bytes, uint64_t unseen)
{
    struct learned *of = &learned[kind];
    double all = (double)bytes, wasted = (double)wasted_bytes;
    of->bytes += bytes;
    of->unseen += unseen;
    of->all += all;
    of->wasted += wasted;
    of->all_all += all * all;
    of->all_wasted += all * wasted;
    of->wasted_wasted += wasted * wasted;
}
