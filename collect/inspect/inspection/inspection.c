#include "collect/inspect/inspection/inspection.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The last entry at or before the index. */
uint32_t inspection_find_line(const struct inspection_method *method, uint32_t at)
{
    const struct inspection_line *best = NULL;
    for (uint32_t i = 0; i < method->line_count; i++) {
        const struct inspection_line *line = &method->lines[i];
        if (line->at <= at && (!best || line->at > best->at))
            best = line;
    }
    return best ? best->line : 0;
}

struct inspection *inspection_new(const struct inspection_method *method, uint32_t tid, const char *thread)
{
    assert(method->code.flow->loop_count > 0);
    struct inspection *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->method = method;
    made->tid = tid;
    made->thread = strdup(thread);
    made->records = calloc(method->code.flow->loop_count, sizeof *made->records);
    if (made->thread && made->records)
        return made;
    inspection_free(made);
    return NULL;
}

void inspection_free(struct inspection *inspection)
{
    if (!inspection)
        return;
    for (uint32_t i = 0; inspection->records && i < inspection->method->code.flow->loop_count; i++)
        interpreter_record_free(&inspection->records[i]);
    free(inspection->records);
    free(inspection->thread);
    free(inspection);
}

/* A program's thread may wait, and records take memory, so all loops of an entry together have a limit as well. What a
 * step takes grows with the number of loops. */
enum { ENTRY_STEPS_MAX = 1000000, LOOPS_PER_STEP = 64 };

void inspection_run(struct inspection *inspection, const struct heap *heap, const struct value *locals,
                    uint32_t iterations)
{
    assert(iterations > 0);
    const struct interpreter_method *code = &inspection->method->code;
    uint64_t steps = 0;
    for (uint32_t i = 0; i < code->flow->loop_count; i++) {
        uint32_t loop = code->flow->postorder[i];
        struct interpreter_record *record = &inspection->records[loop];
        if (steps * (1 + code->flow->loop_count / LOOPS_PER_STEP) >= ENTRY_STEPS_MAX) {
            record->end = INTERPRETER_STEPS;
            continue;
        }
        interpreter_run(code, heap, locals, loop, iterations, record);
        /* Numbers of objects become their addresses; those of objects that the interpretation has made have none. */
        for (size_t event = 0; event < record->event_count; event++)
            if (record->events[event].reference)
                record->events[event].value = heap->address(heap->user, (uint32_t)record->events[event].value);
        steps += record->steps;
    }
}
