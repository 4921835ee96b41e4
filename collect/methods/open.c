/*
 * The methods that a thread has open.
 */
#include "collect/methods/collection.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

void open_free(struct open_stack *stack)
{
    free(stack->methods);
    stack->methods = NULL;
    stack->count = stack->capacity = 0;
}

bool open_push(struct open_stack *stack, const struct open_method *method)
{
    struct open_method *grown = grow_unset(stack->methods, &stack->capacity, stack->count, sizeof *grown);
    if (!grown)
        return false;
    stack->methods = grown;
    stack->methods[stack->count++] = *method;
    return true;
}

bool open_copy(struct open_stack *to, const struct open_stack *from)
{
    struct open_method *methods = calloc(from->count + 1, sizeof *methods);
    if (!methods)
        return false;
    if (from->count > 0)
        memcpy(methods, from->methods, from->count * sizeof *methods);
    assert(from->count <= from->capacity);
    *to = *from;
    to->methods = methods;
    to->capacity = from->count + 1;
    return true;
}

size_t open_stack_around(const struct open_stack *stack, uint64_t location, bool entered)
{
    size_t count = stack->count;
    if (location >= stack->high)
        return count;
    for (; count > 0; count--) {
        uint64_t top = stack->methods[count - 1].location;
        if (top >= stack->high)
            break;
        if (top > location || (top == location && !(stack->exact && entered)))
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
