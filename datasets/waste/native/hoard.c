/*
 * xxmalloc() of Hoard 3.12, libhoard.cpp (dissertation, Listing 3.12): the thread's heap is loaded and compared with
 * null in each of two functions. After: once, in the caller.
 */
#include "case.h"

enum { BLOCKS = 1024, BYTES = 64 };

struct hoard_heap {
    char *free, memory[BLOCKS * BYTES];
};

static struct hoard_heap the_heap;
static _Thread_local struct hoard_heap *thread_heap;

CASE_NAMED static int hoard_is_initialized(void)
{
    return thread_heap != NULL; /* @blamed */
}

CASE_NAMED static struct hoard_heap *hoard_get_heap(void)
{
    struct hoard_heap *heap = thread_heap; /* @blamed */
    if (heap == NULL) {
        heap = &the_heap;
        thread_heap = heap;
    }
    return heap;
}

static void *hoard_allocate_from(struct hoard_heap *heap, size_t bytes)
{
    if (heap->free == NULL || heap->free + bytes > heap->memory + sizeof heap->memory)
        heap->free = heap->memory;
    char *block = heap->free;
    heap->free += bytes;
    return block;
}

CASE_NAMED static void *hoard_allocate(size_t bytes)
{
    return hoard_is_initialized() ? hoard_allocate_from(hoard_get_heap(), bytes) : NULL; /* @blamed */
}

CASE_NAMED static void *hoard_allocate_directly(size_t bytes)
{
    struct hoard_heap *heap = thread_heap;
    return heap ? hoard_allocate_from(heap, bytes) : NULL;
}

static double hoard_run(size_t steps, void *(*allocate)(size_t))
{
    double sum = 0;
    thread_heap = hoard_get_heap();
    for (size_t step = 0; step < steps; step++)
        for (int i = 0; i < BLOCKS; i++)
            sum += (double)((char *)allocate(BYTES / 2 + (size_t)i % 32) - the_heap.memory);
    return sum;
}

static double hoard_before(size_t steps)
{
    return hoard_run(steps, hoard_allocate);
}

static double hoard_after(size_t steps)
{
    return hoard_run(steps, hoard_allocate_directly);
}

const struct waste_case waste_case = {hoard_before, hoard_after};
