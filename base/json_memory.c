#include "base/json_memory.h"

#include <stdatomic.h>
#include <stdlib.h>

#include <jansson.h>

static atomic_bool json_memory_failed;

static void *json_memory_allocate(size_t size)
{
    void *memory = malloc(size);
    if (!memory)
        atomic_store(&json_memory_failed, true);
    return memory;
}

void json_memory_watch(void)
{
    json_set_alloc_funcs(json_memory_allocate, free);
}

bool json_memory_has_failed(void)
{
    return atomic_load(&json_memory_failed);
}
