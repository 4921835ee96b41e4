/* Pays: a list is searched for a key from its beginning. After: a table with an entry for each key has its position. */
#include "case.h"

enum { ENTRIES = 200, SEARCHES = 100, OTHER = 4096 };

struct pay_search_entry {
    int key;
    double value;
};

static struct pay_search_entry entries[ENTRIES];
static int positions[ENTRIES];
static double other[OTHER];

static double pay_search_find(int key)
{
    for (int i = 0; i < ENTRIES; i++)
        if (entries[i].key == key) /* @blamed */
            return entries[i].value;
    return 0;
}

static double pay_search_run(size_t steps, int by_position)
{
    uint64_t seed = 1;
    double sum = 0;
    for (int i = 0; i < ENTRIES; i++) {
        entries[i] = (struct pay_search_entry){i, i * .5};
        positions[i] = i;
    }
    for (size_t step = 0; step < steps; step++) {
        for (int i = 0; i < OTHER; i++)
            other[i] = other[i] * .99 + (double)(case_random(&seed) & 15);
        for (int i = 0; i < SEARCHES; i++) {
            int key = (int)(case_random(&seed) % ENTRIES);
            sum += by_position ? entries[positions[key]].value : pay_search_find(key);
        }
        sum += other[step % OTHER];
    }
    return sum;
}

static double pay_search_before(size_t steps)
{
    return pay_search_run(steps, 0);
}

static double pay_search_after(size_t steps)
{
    return pay_search_run(steps, 1);
}

const struct waste_case waste_case = {pay_search_before, pay_search_after};
