/*
 * The lookup of Binutils 2.27, dwarf2.c, line 2166 (dissertation, Table 3.2): the list of all functions is searched for
 * the one that holds an address. After: the functions are searched by bisection in the order of their addresses.
 */
#include "case.h"

enum { FUNCTIONS = 3000, ADDRESSES = 1000, FIRST = 0x400000 };

struct binutils_function {
    struct binutils_function *next;
    uint64_t low, high;
    const char *name;
};

static struct binutils_function functions[FUNCTIONS], *list;
static uint64_t addresses[ADDRESSES];

CASE_NAMED static const struct binutils_function *binutils_find_in_list(uint64_t address)
{
    for (const struct binutils_function *function = list; function; function = function->next) /* @blamed */
        if (address >= function->low && address < function->high)                              /* @blamed */
            return function;
    return NULL;
}

CASE_NAMED static const struct binutils_function *binutils_bisect(uint64_t address)
{
    int low = 0, high = FUNCTIONS;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (functions[middle].low <= address)
            low = middle;
        else
            high = middle;
    }
    return &functions[low];
}

/* The functions in the order of addresses, and the list in another one. Returns the end of the last function. */
static uint64_t binutils_prepare_functions(uint64_t *seed)
{
    uint64_t end = FIRST;
    for (int i = 0; i < FUNCTIONS; i++) {
        functions[i].low = end;
        functions[i].high = end += case_random(seed) % 500 + 16;
    }
    list = NULL;
    for (int i = 0; i < FUNCTIONS; i++) {
        struct binutils_function *function = &functions[(i * 1009) % FUNCTIONS];
        function->next = list;
        list = function;
    }
    return end;
}

static double binutils_run(size_t steps, const struct binutils_function *(*find)(uint64_t))
{
    uint64_t seed = 6, end = binutils_prepare_functions(&seed);
    double sum = 0;
    for (int i = 0; i < ADDRESSES; i++)
        addresses[i] = FIRST + case_random(&seed) % (end - FIRST);
    for (size_t step = 0; step < steps; step++)
        for (int i = 0; i < ADDRESSES; i++)
            sum += (double)(find(addresses[i]) - functions);
    return sum;
}

static double binutils_before(size_t steps)
{
    return binutils_run(steps, binutils_find_in_list);
}

static double binutils_after(size_t steps)
{
    return binutils_run(steps, binutils_bisect);
}

const struct waste_case waste_case = {binutils_before, binutils_after};
