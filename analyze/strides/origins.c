#include "analyze/strides/origins.h"

#include <stdlib.h>

/* Sets of loads whose values are on the same page, the oldest of which is replaced. */
enum { PAGE_BITS = 12, SETS = 4096, WAYS = 8, LEAST_ADDRESS = 1 << 16, ADDRESS_BITS = 47 };
_Static_assert(1 << PAGE_BITS == ORIGIN_REACH, "an address depends on a value on its page or the one before");

struct origin_set {
    struct origin loads[WAYS];
    unsigned next;
};

struct origins {
    struct origin_set sets[SETS];
};

struct origins *origins_new(void)
{
    return calloc(1, sizeof(struct origins));
}

void origins_free(struct origins *origins)
{
    free(origins);
}

static size_t origins_set(uint64_t page)
{
    return (size_t)((page * UINT64_C(0x9e3779b97f4a7c15)) >> 52);
}

void origins_add(struct origins *origins, const struct origin *load)
{
    if (load->value < LEAST_ADDRESS || load->value >> ADDRESS_BITS != 0)
        return;
    struct origin_set *set = &origins->sets[origins_set(load->value >> PAGE_BITS)];
    for (unsigned way = 0; way < WAYS; way++)
        if (set->loads[way].value == load->value) {
            set->loads[way] = *load;
            return;
        }
    set->loads[set->next++ % WAYS] = *load; /* the oldest */
}

const struct origin *origins_find(const struct origins *origins, uint64_t address)
{
    const struct origin *nearest = NULL;
    uint64_t page = address >> PAGE_BITS;
    for (unsigned back = 0; back < 2 && !nearest; back++) {
        const struct origin_set *set = &origins->sets[origins_set(page - back)];
        for (unsigned way = 0; way < WAYS; way++) {
            const struct origin *load = &set->loads[way];
            if (load->access > 0 && load->value <= address && address - load->value < ORIGIN_REACH &&
                (!nearest || load->value > nearest->value))
                nearest = load;
        }
    }
    return nearest;
}
