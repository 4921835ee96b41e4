#include "collect/inspect/interpret/interpreter.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "collect/inspect/interpret/machine.h"

const char *interpreter_end_name(enum interpreter_end end)
{
    static const char *const NAMES[INTERPRETER_ENDS] = {
        [INTERPRETER_COMPLETE] = "complete",
        [INTERPRETER_LEFT] = "left",
        [INTERPRETER_NOT_REACHED] = "not reached",
        [INTERPRETER_STEPS] = "too many steps",
        [INTERPRETER_NULL] = "exception: null",
        [INTERPRETER_BOUNDS] = "exception: bounds",
        [INTERPRETER_DIVISION] = "exception: division",
        [INTERPRETER_CAST] = "exception: cast",
        [INTERPRETER_THROW] = "exception: throw",
        [INTERPRETER_INVALID] = "invalid code",
        [INTERPRETER_NO_MEMORY] = "no memory",
    };
    return NAMES[end < INTERPRETER_ENDS ? end : INTERPRETER_INVALID];
}

/* ------------------------------------------------------------------------------------------ loops -- */

/* A header is executed, coming from a block. False: the loop must be left. */
static bool interpreter_pass_header(struct machine *machine, uint32_t loop, uint32_t from)
{
    const struct flow *flow = machine->method->flow;
    struct machine_loop *state = &machine->loops[loop];
    if (from == FLOW_NONE || !flow_is_in(flow, loop, from)) {
        state->passes = 0;
        state->muted = state->large;
    }
    if (loop == machine->target) {
        if (machine->record->iterations == machine->iterations)
            return machine_end(machine, INTERPRETER_COMPLETE);
        /* Between two entries there is a gap. */
        if (!machine->reached && machine->record->iterations > 0)
            machine_record(machine, &(struct interpreter_event){.loop = INTERPRETER_GAP});
        machine->reached = true;
        machine->record->iterations++;
        return true;
    }
    /* Another loop is passed until the target is reached if that is in it, really in the target, and else once. */
    bool inner = flow_encloses(flow, machine->target, loop), outer = flow_encloses(flow, loop, machine->target);
    if (state->passes < (outer || (inner && !state->muted) ? machine->iterations : 1)) {
        state->passes++;
        return true;
    }
    state->large = inner;
    return false;
}

/* Whether the block is in the target loop, and in no loop of it that is muted. */
static bool interpreter_is_recorded(const struct machine *machine)
{
    const struct flow *flow = machine->method->flow;
    if (!machine->reached || !flow_is_in(flow, machine->target, machine->block))
        return false;
    for (uint32_t loop = machine->target + 1; loop < flow->loop_count; loop++)
        if (machine->loops[loop].muted && flow_is_in(flow, loop, machine->block))
            return false;
    return true;
}

/* Goes on with a block; where a loop has to be left, with what follows it. */
static void interpreter_enter_block(struct machine *machine, uint32_t from, uint32_t block)
{
    const struct flow *flow = machine->method->flow;
    for (;;) {
        if (machine->reached && !flow_is_in(flow, machine->target, block)) {
            /* The target loop is left before it had all iterations: it is entered again where a loop around it comes
             * to it again. */
            uint32_t outer = flow->loops[machine->target].outer;
            while (outer != FLOW_NONE && !flow_is_in(flow, outer, block))
                outer = flow->loops[outer].outer;
            if (outer == FLOW_NONE)
                machine_end(machine, INTERPRETER_LEFT);
            machine->reached = false;
        }
        if (machine->ended)
            return;
        uint32_t loop = flow_loop_of_header(flow, block);
        machine->block = block;
        if (loop == FLOW_NONE || interpreter_pass_header(machine, loop, from)) {
            machine->recording = interpreter_is_recorded(machine);
            if (loop != FLOW_NONE && machine->recording)
                machine_record(machine, &(struct interpreter_event){.loop = loop + 1});
            return;
        }
        if (machine->ended)
            return;
        from = block;
        block = flow->loops[loop].exit;
        if (block == FLOW_NONE || flow_encloses(flow, loop, machine->target)) {
            machine_end_early(machine);
            return;
        }
    }
}

/* ------------------------------------------------------------------------------------------ all of it -- */

void interpreter_run(const struct interpreter_method *method, const struct heap *heap, const struct value *locals,
                     uint32_t target, uint32_t iterations, struct interpreter_record *record)
{
    assert(iterations > 0 && target < method->flow->loop_count);
    *record = (struct interpreter_record){.end = INTERPRETER_NO_MEMORY,
                                          .dependences = {.item_bytes = sizeof(struct interpreter_dependence),
                                                          .key_bytes = sizeof(struct interpreter_dependence)}};
    struct machine machine = {.method = method,
                              .heap = heap,
                              .target = target,
                              .iterations = iterations,
                              .record = record,
                              .stores = {.item_bytes = sizeof(struct machine_store), .key_bytes = 2 * sizeof(uint32_t)},
                              .locals = calloc(method->local_count + 1, sizeof *machine.locals),
                              .stack = calloc(MACHINE_STACK_MAX, sizeof *machine.stack),
                              .loops = calloc(method->flow->loop_count + 1, sizeof *machine.loops),
                              .reaching = calloc(method->flow->words + 1, sizeof *machine.reaching)};
    if (machine.locals && machine.stack && machine.loops && machine.reaching) {
        memcpy(machine.locals, locals, method->local_count * sizeof *locals);
        flow_reaching(method->flow, method->flow->loops[target].header, machine.reaching);
        interpreter_enter_block(&machine, FLOW_NONE, 0);
        uint32_t at = method->flow->blocks[machine.block].begin;
        while (!machine.ended) {
            struct bytecode instruction;
            if (record->steps++ >= INTERPRETER_STEPS_MAX)
                machine_end(&machine, INTERPRETER_STEPS);
            else if (!bytecode_decode(method->code, method->bytes, at, &instruction))
                machine_end(&machine, INTERPRETER_INVALID);
            else
                at = machine_step(&machine, &instruction);
            if (machine.ended || method->flow->block_at[at] == FLOW_NONE)
                continue;
            interpreter_enter_block(&machine, machine.block, method->flow->block_at[at]);
            at = method->flow->blocks[machine.block].begin;
        }
    }
    assert(machine.depth <= MACHINE_STACK_MAX && machine.object_count <= MACHINE_OBJECTS_MAX);
    free(machine.locals);
    free(machine.stack);
    free(machine.loops);
    free(machine.reaching);
    free(machine.objects);
    keyed_free(&machine.stores);
}

void interpreter_record_free(struct interpreter_record *record)
{
    free(record->events);
    keyed_free(&record->dependences);
    *record = (struct interpreter_record){0};
}
