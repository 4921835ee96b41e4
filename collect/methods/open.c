/*
 * The methods that a thread has open.
 */
#include "collect/methods/thread.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void open_free(struct open_stack *stack)
{
    free(stack->methods);
    stack->methods = NULL;
    stack->count = stack->capacity = 0;
}

bool open_push(struct open_stack *stack, const struct open_method *method)
{
    if (stack->count == stack->capacity) {
        size_t capacity = stack->capacity ? stack->capacity * 2 : 64;
        struct open_method *grown = reallocarray(stack->methods, capacity, sizeof *grown);
        if (!grown)
            return false;
        stack->methods = grown;
        stack->capacity = capacity;
    }
    stack->methods[stack->count++] = *method;
    return true;
}

size_t open_around(const struct open_stack *stack, uint64_t place, bool entered)
{
    size_t count = stack->count;
    if (place < stack->low || place >= stack->high)
        return count;
    for (; count > 0; count--) {
        uint64_t top = stack->methods[count - 1].place;
        if (top < stack->low || top >= stack->high)
            break;
        if (top > place || (top == place && !(stack->exact && entered)))
            break;
    }
    return count;
}

size_t open_find(const struct open_stack *stack, uint64_t method)
{
    size_t count = stack->count;
    while (count > 0 && stack->methods[count - 1].method != method)
        count--;
    return count;
}

void open_place(struct open_stack *stack, uint64_t place)
{
    char line[512];
    FILE *maps = stack->exact ? NULL : fopen("/proc/self/maps", "re");
    stack->low = 0;
    stack->high = UINT64_MAX;
    while (maps && fgets(line, sizeof line, maps)) {
        uint64_t low, high;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64, &low, &high) != 2 || place < low || place >= high)
            continue;
        stack->high = high;
        /* The main thread's grows. */
        stack->low = strstr(line, "[stack]") ? high - (UINT64_C(1) << 30) : low;
        break;
    }
    if (maps)
        fclose(maps);
}
