/*
 * The queries of STAMP's vacation, client.c, line 198 (dissertation, Table 3.2): whether there is a free place, and
 * what it costs, are two functions, and each looks the reservation up in a tree. After: the first result is used again.
 */
#include "case.h"

enum { RESERVATIONS = 4096, QUERIES = 512 };

struct vacation_reservation {
    struct vacation_reservation *left, *right;
    uint32_t id, free, price;
};

static struct vacation_reservation reservations[RESERVATIONS], *root;
static uint32_t wanted[QUERIES];

CASE_NAMED static const struct vacation_reservation *vacation_find(uint32_t id)
{
    const struct vacation_reservation *node = root;
    while (node && node->id != id)                       /* @blamed */
        node = id < node->id ? node->left : node->right; /* @blamed */
    return node;
}

CASE_NAMED static uint32_t vacation_query_free(uint32_t id)
{
    const struct vacation_reservation *found = vacation_find(id);
    return found ? found->free : 0;
}

CASE_NAMED static uint32_t vacation_query_price(uint32_t id)
{
    const struct vacation_reservation *found = vacation_find(id);
    return found ? found->price : 0;
}

CASE_NAMED static uint32_t vacation_ask_twice(uint32_t id, uint32_t most)
{
    if (vacation_query_free(id) == 0)
        return most;
    uint32_t price = vacation_query_price(id); /* @blamed */
    return price > most ? price : most;
}

CASE_NAMED static uint32_t vacation_ask_once(uint32_t id, uint32_t most)
{
    const struct vacation_reservation *found = vacation_find(id);
    return found && found->free > 0 && found->price > most ? found->price : most;
}

static void vacation_prepare(void)
{
    uint64_t seed = 11;
    for (int i = 0; i < RESERVATIONS; i++) {
        struct vacation_reservation *reservation = &reservations[i], **link = &root;
        reservation->id = case_random(&seed);
        reservation->free = case_random(&seed) % 4;
        reservation->price = case_random(&seed) % 500;
        while (*link)
            link = reservation->id < (*link)->id ? &(*link)->left : &(*link)->right;
        *link = reservation;
    }
    for (int i = 0; i < QUERIES; i++)
        wanted[i] = reservations[case_random(&seed) % RESERVATIONS].id;
}

static double vacation_run(size_t steps, uint32_t (*ask)(uint32_t, uint32_t))
{
    double sum = 0;
    vacation_prepare();
    for (size_t step = 0; step < steps; step++) {
        uint32_t most = 0;
        for (int i = 0; i < QUERIES; i++)
            most = ask(wanted[i], most);
        sum += most;
    }
    return sum;
}

static double vacation_before(size_t steps)
{
    return vacation_run(steps, vacation_ask_twice);
}

static double vacation_after(size_t steps)
{
    return vacation_run(steps, vacation_ask_once);
}

const struct waste_case waste_case = {vacation_before, vacation_after};
