/*
 * Linked lists of 1000 nodes of 32 bytes, all in one pool.
 *
 * Linked in the order of the pool, and against it: both loads go on by a node.
 * EXPECT line=@value loop=@ordered_loop kind=inter stride=32 majority=1..1 executions=1000
 * EXPECT line=@next loop=@ordered_loop kind=inter stride=32 majority=1..1 executions=1000
 * EXPECT line=@reversed_value loop=@reversed_loop kind=inter stride=-32 majority=1..1 executions=1000
 * EXPECT line=@reversed_next loop=@reversed_loop kind=inter stride=-32 majority=1..1 executions=1000
 *
 * Shuffled: the next node may be anywhere, and a node's value is not where the load of this iteration leads to, but
 * that of the one before.
 * EXPECT line=@shuffled_value loop=@shuffled_loop kind=none majority=0..0.05 executions=1000
 * EXPECT line=@shuffled_next loop=@shuffled_loop kind=none majority=0..0.05 executions=1000
 *
 * In order, but every tenth node in the pool has been left out, and so has the last one: of 899 strides, 800 are 32,
 * and 99 are 64: 89.0 %.
 * EXPECT line=@thinned_value loop=@thinned_loop kind=inter stride=32 majority=0.8898..0.8899 executions=900
 * EXPECT line=@thinned_next loop=@thinned_loop kind=inter stride=32 majority=0.8898..0.8899 executions=900
 *
 * Every second node has been left out: 64 bytes.
 * EXPECT line=@halved_value loop=@halved_loop kind=inter stride=64 majority=1..1 executions=500
 * EXPECT line=@halved_next loop=@halved_loop kind=inter stride=64 majority=1..1 executions=500
 */
#include "strides.h"

enum { COUNT = 1000 };

struct node {
    struct node *next;
    long value, more[2];
};

static struct node pool[COUNT];
static uint32_t order[COUNT];

/* Links those nodes of order[] that `every` does not leave out: of 10, the last; of 2, the second; of 0, none. */
static struct node *link_nodes(unsigned every)
{
    struct node *first = NULL, **end = &first;
    for (unsigned i = 0; i < COUNT; i++) {
        if (every != 0 && i % every == every - 1)
            continue;
        *end = &pool[order[i]];
        (*end)->value = i;
        end = &(*end)->next;
    }
    *end = NULL;
    return first;
}

VICTIM static long victim_ordered(const struct node *at)
{
    long sum = 0;
    while (at != NULL) {  /* @ordered_loop */
        sum += at->value; /* @value */
        at = at->next;    /* @next */
    }
    return sum;
}

VICTIM static long victim_reversed(const struct node *at)
{
    long sum = 0;
    while (at != NULL) {  /* @reversed_loop */
        sum += at->value; /* @reversed_value */
        at = at->next;    /* @reversed_next */
    }
    return sum;
}

VICTIM static long victim_shuffled(const struct node *at)
{
    long sum = 0;
    while (at != NULL) {  /* @shuffled_loop */
        sum += at->value; /* @shuffled_value */
        at = at->next;    /* @shuffled_next */
    }
    return sum;
}

VICTIM static long victim_thinned(const struct node *at)
{
    long sum = 0;
    while (at != NULL) {  /* @thinned_loop */
        sum += at->value; /* @thinned_value */
        at = at->next;    /* @thinned_next */
    }
    return sum;
}

VICTIM static long victim_halved(const struct node *at)
{
    long sum = 0;
    while (at != NULL) {  /* @halved_loop */
        sum += at->value; /* @halved_value */
        at = at->next;    /* @halved_next */
    }
    return sum;
}

int main(int argc, char **argv)
{
    long sum = 0;
    (void)argv;
    SHOW(pool, argc);
    for (unsigned i = 0; i < COUNT; i++)
        order[i] = i;
    sum += victim_ordered(link_nodes(0));
    sum += victim_thinned(link_nodes(10));
    sum += victim_halved(link_nodes(2));
    for (unsigned i = 0; i < COUNT; i++)
        order[i] = COUNT - 1 - i;
    sum += victim_reversed(link_nodes(0));
    strides_shuffle(order, COUNT);
    sum += victim_shuffled(link_nodes(0));
    printf("%ld\n", sum);
    return 0;
}
