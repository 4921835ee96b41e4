#include "analyze/driver/tables/exact_memory.h"

#include <stdlib.h>

#include <gmp.h>

#include "analyze/cli/result.h"

static const char *exact_memory_program;

static void *exact_memory_check(void *memory)
{
    if (memory)
        return memory;
    result_print_error(exact_memory_program, "out of memory");
    exit(1);
}

static void *exact_memory_allocate(size_t size)
{
    return exact_memory_check(malloc(size));
}

static void *exact_memory_resize(void *memory, size_t old, size_t size)
{
    (void)old;
    return exact_memory_check(realloc(memory, size));
}

static void exact_memory_free(void *memory, size_t size)
{
    (void)size;
    free(memory);
}

void exact_memory_watch(const char *program)
{
    exact_memory_program = program;
    mp_set_memory_functions(exact_memory_allocate, exact_memory_resize, exact_memory_free);
}
