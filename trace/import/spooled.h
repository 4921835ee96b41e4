/*
 * spooled.h - stacks and weights that come in two lists, one after the other: both are kept in unnamed temporary files
 * until they can be joined, so that memory does not grow with their number.
 */
#ifndef ASSAY_TRACE_IMPORT_SPOOLED_H
#define ASSAY_TRACE_IMPORT_SPOOLED_H

#include <stdio.h>

#include "trace/import/stack.h"

/* A number of the file as an integer and as a real. */
struct spooled_number {
    int64_t integer;
    double real;
    bool whole;
};

/* Starts as {0}. Functions return false if a file can't be made, written or read. */
struct spooled {
    FILE *stacks, *numbers;
    uint64_t stack_count, number_count;
    bool negative; /* some number is */
};

bool spooled_add_stack(struct spooled *spooled, const struct stack *stack);
bool spooled_add_number(struct spooled *spooled, struct spooled_number number);
/* From the start of both. */
bool spooled_rewind(struct spooled *spooled);
bool spooled_next_stack(struct spooled *spooled, struct stack *stack);
bool spooled_next_number(struct spooled *spooled, struct spooled_number *number);
/* Empties one of the lists, or both. */
void spooled_free_stacks(struct spooled *spooled);
void spooled_free_numbers(struct spooled *spooled);
void spooled_free(struct spooled *spooled);

#endif
