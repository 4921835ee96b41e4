/*
 * Two lists of pointers to 500 records each are merged by the key of what they point to. The keys of the first are the
 * even numbers and those of the second the odd ones, so the lists take turns: each stays where it is in every second
 * iteration, and moves on by a pointer in the others. Only those count.
 * EXPECT line=@left loop=@merge_loop kind=inter stride=8 majority=1..1 executions=999
 * EXPECT line=@right loop=@merge_loop kind=inter stride=8 majority=1..1 executions=999
 * EXPECT line=@left_key loop=@merge_loop kind=none executions=999
 * EXPECT line=@right_key loop=@merge_loop kind=none executions=999
 *
 * One that moves on in every eighth iteration alone is at the same address as a rule.
 * EXPECT line=@slow loop=@slow_loop kind=none stride=0 majority=0.87..0.88 executions=1000
 */
#include "strides.h"

enum { COUNT = 500, EVERY = 8 };

struct record {
    long key;
    long more[15];
};

static struct record pool[2 * COUNT];
static struct record *left[COUNT], *right[COUNT];
static long table[2 * COUNT / EVERY];

VICTIM static long victim_merge(struct record **first, struct record **second)
{
    long sum = 0;
    struct record **first_end = first + COUNT, **second_end = second + COUNT;
    while (first < first_end && second < second_end) { /* @merge_loop */
        const struct record *a = *first;               /* @left */
        const struct record *b = *second;              /* @right */
        long x = a->key;                               /* @left_key */
        long y = b->key;                               /* @right_key */
        sum = 3 * sum + (x < y ? x : y);
        if (x < y)
            first++;
        else
            second++;
    }
    return sum;
}

VICTIM static long victim_slow(const long *at)
{
    long sum = 0;
    for (int i = 0; i < 2 * COUNT; i++) /* @slow_loop */
        sum = 3 * sum + at[i / EVERY];  /* @slow */
    return sum;
}

int main(void)
{
    uint64_t state = 1;
    struct record *order[2 * COUNT];
    for (unsigned i = 0; i < 2 * COUNT; i++) {
        unsigned other = (unsigned)(strides_random(&state) % (i + 1));
        order[i] = order[other];
        order[other] = &pool[i];
    }
    for (unsigned i = 0; i < COUNT; i++) {
        left[i] = order[2 * i];
        left[i]->key = 2 * i;
        right[i] = order[2 * i + 1];
        right[i]->key = 2 * i + 1;
    }
    for (unsigned i = 0; i < 2 * COUNT / EVERY; i++)
        table[i] = (long)(strides_random(&state) % 100);
    printf("%ld %ld\n", victim_merge(left, right), victim_slow(table));
    return 0;
}
