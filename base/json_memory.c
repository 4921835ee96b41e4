#include "base/json_memory.h"

#include <stdatomic.h>
#include <stdlib.h>

#include <jansson.h>

enum { RESERVE_BYTES = 1 << 18 };

static atomic_bool json_memory_failed;
static _Atomic(void *) json_memory_reserve;

static void *json_memory_allocate(size_t size)
{
    void *memory = malloc(size);
    if (memory)
        return memory;
    atomic_store(&json_memory_failed, true);
    free(atomic_exchange(&json_memory_reserve, NULL));
    return malloc(size);
}

void json_memory_watch(void)
{
    if (!atomic_load(&json_memory_reserve))
        atomic_store(&json_memory_reserve, malloc(RESERVE_BYTES));
    json_set_alloc_funcs(json_memory_allocate, free);
}

bool json_memory_has_failed(void)
{
    return atomic_load(&json_memory_failed);
}
