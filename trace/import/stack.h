/*
 * stack.h - frames of one stack, while a reader collects them.
 */
#ifndef ASSAY_TRACE_IMPORT_STACK_H
#define ASSAY_TRACE_IMPORT_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/grow.h"

/* Starts as {0}. */
struct stack {
    uint32_t *frames;
    size_t depth, capacity;
};

/* False without memory. */
static inline bool stack_push(struct stack *stack, uint32_t frame)
{
    uint32_t *frames = (uint32_t *)grow_unset(stack->frames, &stack->capacity, stack->depth, sizeof *frames);
    if (!frames)
        return false;
    stack->frames = frames;
    stack->frames[stack->depth++] = frame;
    return true;
}

static inline void stack_reverse(struct stack *stack)
{
    for (size_t i = 0, j = stack->depth; i + 1 < j; i++) {
        uint32_t frame = stack->frames[--j];
        stack->frames[j] = stack->frames[i];
        stack->frames[i] = frame;
    }
}

static inline void stack_free(struct stack *stack)
{
    free(stack->frames);
    *stack = (struct stack){0};
}

#endif
