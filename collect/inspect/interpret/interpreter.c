#include "collect/inspect/interpret/interpreter.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
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

bool machine_end(struct machine *machine, enum interpreter_end end)
{
    if (!machine->ended)
        machine->record->end = end;
    machine->ended = true;
    return false;
}

void machine_record(struct machine *machine, const struct interpreter_event *event)
{
    struct interpreter_record *record = machine->record;
    struct interpreter_event *grown =
        grow_unset(record->events, &record->event_capacity, record->event_count, sizeof *grown);
    if (!grown) {
        machine_end(machine, INTERPRETER_NO_MEMORY);
        return;
    }
    record->events = grown;
    grown[record->event_count++] = *event;
}

/* ------------------------------------------------------------------------------------------ the stack -- */

void machine_push_slot(struct machine *machine, struct value value)
{
    if (machine->depth < MACHINE_STACK_MAX)
        machine->stack[machine->depth++] = value;
    else
        machine_end(machine, INTERPRETER_STEPS);
}

struct value machine_pop_slot(struct machine *machine)
{
    if (machine->depth > 0)
        return machine->stack[--machine->depth];
    machine_end(machine, INTERPRETER_INVALID);
    return value_unknown(VALUE_NONE);
}

void machine_push(struct machine *machine, struct value value)
{
    machine_push_slot(machine, value);
    if (value_is_wide((enum value_kind)value.kind))
        machine_push_slot(machine, value_unknown(VALUE_NONE));
}

struct value machine_pop(struct machine *machine, enum value_kind kind)
{
    if (value_is_wide(kind))
        machine_pop_slot(machine);
    struct value value = machine_pop_slot(machine);
    if (value.kind == kind)
        return value;
    machine_end(machine, INTERPRETER_INVALID);
    return value_unknown(kind);
}

/* Copies the upper `count` slots below `below` further ones. */
static void interpreter_duplicate(struct machine *machine, uint32_t count, uint32_t below)
{
    struct value slots[4];
    uint32_t all = count + below;
    assert(all <= sizeof slots / sizeof *slots);
    for (uint32_t i = all; i-- > 0;)
        slots[i] = machine_pop_slot(machine);
    for (uint32_t i = 0; i < count; i++)
        machine_push_slot(machine, slots[below + i]);
    for (uint32_t i = 0; i < all; i++)
        machine_push_slot(machine, slots[i]);
}

static void interpreter_rearrange(struct machine *machine, uint8_t code)
{
    struct value upper, lower;
    switch (code) {
    case OP_POP2:
        machine_pop_slot(machine);
        machine_pop_slot(machine);
        return;
    case OP_POP:
        machine_pop_slot(machine);
        return;
    case OP_SWAP:
        upper = machine_pop_slot(machine);
        lower = machine_pop_slot(machine);
        machine_push_slot(machine, upper);
        machine_push_slot(machine, lower);
        return;
    default:
        interpreter_duplicate(machine, (uint32_t)(code - OP_DUP) / 3 + 1, (uint32_t)(code - OP_DUP) % 3);
        return;
    }
}

/* ------------------------------------------------------------------------------------------ variables -- */

/* A loop that was left by force may not have set a variable as the code after it has it: then it is unknown. */
static void interpreter_load_local(struct machine *machine, enum value_kind kind, uint32_t number)
{
    bool good = number < machine->method->local_count && machine->locals[number].kind == kind;
    machine_push(machine, good ? machine->locals[number] : value_unknown(kind));
}

static void interpreter_store_local(struct machine *machine, enum value_kind kind, uint32_t number)
{
    struct value value = machine_pop(machine, kind);
    if (number + value_is_wide(kind) >= machine->method->local_count) {
        machine_end(machine, INTERPRETER_INVALID);
        return;
    }
    machine->locals[number] = value;
    if (value_is_wide(kind))
        machine->locals[number + 1] = value_unknown(VALUE_NONE);
}

static void interpreter_increment(struct machine *machine, const struct bytecode *instruction)
{
    interpreter_load_local(machine, VALUE_INT, (uint32_t)instruction->operand);
    struct value value = machine_pop(machine, VALUE_INT);
    if (value.known)
        value.bits = (uint32_t)value.bits + (uint32_t)instruction->second;
    value.bits = (uint32_t)value.bits;
    machine_push(machine, value);
    interpreter_store_local(machine, VALUE_INT, (uint32_t)instruction->operand);
}

/* ------------------------------------------------------------------------------------------ constants -- */

/* Texts, classes and the like are known to the JVM only once they are resolved. */
static void interpreter_load_constant(struct machine *machine, const struct bytecode *instruction)
{
    const struct constants *constants = machine->method->constants;
    uint32_t number = (uint32_t)instruction->operand;
    struct constants_member member;
    switch (constants_tag(constants, number)) {
    case CONSTANT_INTEGER:
        machine_push(machine, value_of(VALUE_INT, constants_number(constants, number)));
        return;
    case CONSTANT_FLOAT:
        machine_push(machine, value_of(VALUE_FLOAT, constants_number(constants, number)));
        return;
    case CONSTANT_LONG:
        machine_push(machine, value_of(VALUE_LONG, constants_number(constants, number)));
        return;
    case CONSTANT_DOUBLE:
        machine_push(machine, value_of(VALUE_DOUBLE, constants_number(constants, number)));
        return;
    case CONSTANT_DYNAMIC:
        if (!constants_member(constants, number, &member) || value_kind_of(*member.descriptor.text) == VALUE_NONE)
            machine_end(machine, INTERPRETER_INVALID);
        else
            machine_push(machine, value_unknown(value_kind_of(*member.descriptor.text)));
        return;
    default:
        machine_push(machine, value_unknown(VALUE_REFERENCE));
        return;
    }
}

static void interpreter_push_immediate(struct machine *machine, const struct bytecode *instruction)
{
    static const uint32_t FLOATS[] = {0, 0x3f800000, 0x40000000};
    static const uint64_t DOUBLES[] = {0, UINT64_C(0x3ff0000000000000)};
    uint8_t code = instruction->code;
    if (code == OP_ACONST_NULL)
        machine_push(machine, value_of(VALUE_REFERENCE, 0));
    else if (code <= OP_ICONST_5)
        machine_push(machine, value_int(code - OP_ICONST_0));
    else if (code <= OP_LCONST_1)
        machine_push(machine, value_of(VALUE_LONG, (uint64_t)(code - OP_LCONST_0)));
    else if (code <= OP_FCONST_2)
        machine_push(machine, value_of(VALUE_FLOAT, FLOATS[code - OP_FCONST_0]));
    else if (code <= OP_DCONST_1)
        machine_push(machine, value_of(VALUE_DOUBLE, DOUBLES[code - OP_DCONST_0]));
    else
        machine_push(machine, value_int(instruction->operand));
}

/* ------------------------------------------------------------------------------------------ calls -- */

/* Moves past the type at *at, and returns its first letter; '\0' at the end. */
static char interpreter_next_type(const char **at, const char *end)
{
    if (*at >= end)
        return '\0';
    char first = **at;
    while (*at < end && **at == '[')
        ++*at;
    if (*at < end && **at == 'L')
        while (*at < end && **at != ';')
            ++*at;
    ++*at;
    return first;
}

/* Pops the arguments, and the object that the method is called for; its result is unknown. */
static void interpreter_skip_call(struct machine *machine, const struct bytecode *instruction)
{
    struct constants_member member;
    uint32_t slots = 0;
    if (!constants_member(machine->method->constants, (uint32_t)instruction->operand, &member) ||
        *member.descriptor.text != '(') {
        machine_end(machine, INTERPRETER_INVALID);
        return;
    }
    const char *at = member.descriptor.text + 1, *end = member.descriptor.text + member.descriptor.length;
    while (at < end && *at != ')')
        slots += 1 + value_is_wide(value_kind_of(interpreter_next_type(&at, end)));
    for (; slots > 0 && !machine->ended; slots--)
        machine_pop_slot(machine);
    if (instruction->code != OP_INVOKESTATIC && instruction->code != OP_INVOKEDYNAMIC) {
        struct value object = machine_pop(machine, VALUE_REFERENCE);
        if (object.known && object.bits == 0)
            machine_end(machine, INTERPRETER_NULL);
    }
    at++;
    enum value_kind result = value_kind_of(interpreter_next_type(&at, end));
    if (result != VALUE_NONE)
        machine_push(machine, value_unknown(result));
}

/* ------------------------------------------------------------------------------------------ computing -- */

static bool interpreter_is_unary(uint8_t code)
{
    return (code >= OP_INEG && code <= OP_DNEG) || (code >= OP_I2L && code <= OP_I2S);
}

/* The kind of the left or only operand. */
static enum value_kind interpreter_operand_kind(uint8_t code)
{
    if (code >= OP_I2B)
        return code <= OP_I2S     ? VALUE_INT
               : code == OP_LCMP  ? VALUE_LONG
               : code <= OP_FCMPG ? VALUE_FLOAT
                                  : VALUE_DOUBLE;
    if (code >= OP_I2L)
        return (enum value_kind)((code - OP_I2L) / 3);
    return (enum value_kind)(code >= OP_ISHL ? (code - OP_ISHL) % 2 : (code - OP_IADD) % 4);
}

static void interpreter_compute(struct machine *machine, uint8_t code)
{
    struct value result = value_unknown(VALUE_INT), right = result;
    enum value_kind kind = interpreter_operand_kind(code);
    if (!interpreter_is_unary(code))
        right = machine_pop(machine, code >= OP_ISHL && code <= OP_LUSHR ? VALUE_INT : kind);
    struct value left = machine_pop(machine, kind);
    if (machine->ended)
        return;
    enum value_fault fault =
        interpreter_is_unary(code) ? value_unary(code, &left, &result) : value_binary(code, &left, &right, &result);
    if (fault != VALUE_GOOD)
        machine_end(machine, fault == VALUE_DIVISION ? INTERPRETER_DIVISION : INTERPRETER_INVALID);
    else
        machine_push(machine, result);
}

/* ------------------------------------------------------------------------------------------ conditions -- */

static enum heap_truth interpreter_truth(bool truth)
{
    return truth ? HEAP_TRUE : HEAP_FALSE;
}

/* Pops the operands. */
static enum heap_truth interpreter_test_condition(struct machine *machine, uint8_t code)
{
    bool references = code > OP_IF_ICMPLE, alone = code <= OP_IFLE || code >= OP_IFNULL;
    enum value_kind kind = references ? VALUE_REFERENCE : VALUE_INT;
    struct value right = alone ? value_of(kind, 0) : machine_pop(machine, kind), left = machine_pop(machine, kind);
    if (!left.known || !right.known)
        return HEAP_UNKNOWN;
    if (references)
        return interpreter_truth((left.bits == right.bits) == (code == OP_IF_ACMPEQ || code == OP_IFNULL));
    /* eq, ne, lt, ge, gt, le in the order of their opcodes. */
    int32_t a = value_as_int(&left);
    int32_t b = value_as_int(&right);
    switch (code - (alone ? OP_IFEQ : OP_IF_ICMPEQ)) {
    case 0:
        return interpreter_truth(a == b);
    case 1:
        return interpreter_truth(a != b);
    case 2:
        return interpreter_truth(a < b);
    case 3:
        return interpreter_truth(a >= b);
    case 4:
        return interpreter_truth(a > b);
    default:
        return interpreter_truth(a <= b);
    }
}

/* Whether it is where an unknown condition should lead: into the target loop, or on in it. */
static bool interpreter_leads_to_target(const struct machine *machine, uint32_t at)
{
    uint32_t block = machine->method->flow->block_at[at];
    return machine->reached ? flow_is_in(machine->method->flow, machine->target, block)
                            : machine->reaching[block / 64] >> block % 64 & 1;
}

static uint32_t interpreter_choose_case(struct machine *machine, const struct bytecode *instruction)
{
    const uint8_t *code = machine->method->code;
    struct value key = machine_pop(machine, VALUE_INT);
    if (key.known)
        return bytecode_switch_target(code, instruction, bytecode_switch_find(code, instruction, value_as_int(&key)));
    for (uint32_t i = 0; i < bytecode_switch_targets(code, instruction); i++)
        if (interpreter_leads_to_target(machine, bytecode_switch_target(code, instruction, i)))
            return bytecode_switch_target(code, instruction, i);
    return bytecode_switch_target(code, instruction, 0);
}

/* ------------------------------------------------------------------------------------------ instructions -- */

static void interpreter_end_early(struct machine *machine)
{
    machine_end(machine, machine->record->iterations > 0 ? INTERPRETER_LEFT : INTERPRETER_NOT_REACHED);
}

/* The instructions that don't jump. */
static void interpreter_execute(struct machine *machine, const struct bytecode *instruction)
{
    uint8_t code = instruction->code;
    if (code <= OP_SIPUSH)
        code == OP_NOP ? (void)0 : interpreter_push_immediate(machine, instruction);
    else if (code <= OP_LDC2_W)
        interpreter_load_constant(machine, instruction);
    else if (code <= OP_ALOAD)
        interpreter_load_local(machine, (enum value_kind)(code - OP_ILOAD), (uint32_t)instruction->operand);
    else if (code <= OP_ALOAD_3)
        interpreter_load_local(machine, (enum value_kind)((code - OP_ILOAD_0) / 4), (uint32_t)(code - OP_ILOAD_0) % 4);
    else if (code <= OP_SALOAD)
        machine_load_element(machine, instruction);
    else if (code <= OP_ASTORE)
        interpreter_store_local(machine, (enum value_kind)(code - OP_ISTORE), (uint32_t)instruction->operand);
    else if (code <= OP_ASTORE_3)
        interpreter_store_local(machine, (enum value_kind)((code - OP_ISTORE_0) / 4),
                                (uint32_t)(code - OP_ISTORE_0) % 4);
    else if (code <= OP_SASTORE)
        machine_store_element(machine, instruction);
    else if (code <= OP_SWAP)
        interpreter_rearrange(machine, code);
    else if (code == OP_IINC)
        interpreter_increment(machine, instruction);
    else if (code <= OP_DCMPG)
        interpreter_compute(machine, code);
    else if (code == OP_GETSTATIC || code == OP_GETFIELD)
        machine_load_field(machine, instruction);
    else if (code == OP_PUTSTATIC || code == OP_PUTFIELD)
        machine_store_field(machine, instruction);
    else if (code >= OP_INVOKEVIRTUAL && code <= OP_INVOKEDYNAMIC)
        interpreter_skip_call(machine, instruction);
    else if ((code >= OP_NEW && code <= OP_ANEWARRAY) || code == OP_MULTIANEWARRAY)
        machine_allocate(machine, instruction);
    else if (code == OP_ARRAYLENGTH)
        machine_load_length(machine, instruction);
    else if (code == OP_CHECKCAST || code == OP_INSTANCEOF)
        machine_check_class(machine, instruction);
    else if (code == OP_MONITORENTER || code == OP_MONITOREXIT)
        machine_pop(machine, VALUE_REFERENCE);
    else if (code == OP_ATHROW)
        machine_end(machine, INTERPRETER_THROW);
    else
        interpreter_end_early(machine); /* returns */
}

/* Executes one instruction, and returns where the next one is. */
static uint32_t interpreter_step(struct machine *machine, const struct bytecode *instruction)
{
    if (bytecode_is_goto(instruction))
        return (uint32_t)instruction->operand;
    if (bytecode_is_switch(instruction))
        return interpreter_choose_case(machine, instruction);
    if (bytecode_is_branch(instruction)) {
        enum heap_truth truth = interpreter_test_condition(machine, instruction->code);
        uint32_t next = instruction->next, jump = (uint32_t)instruction->operand;
        if (truth != HEAP_UNKNOWN)
            return truth == HEAP_TRUE ? jump : next;
        return interpreter_leads_to_target(machine, jump) && !interpreter_leads_to_target(machine, next) ? jump : next;
    }
    interpreter_execute(machine, instruction);
    return instruction->next;
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

/* The target loop is left for this block, before it had all iterations: it is entered again where a loop around it
 * comes to it again. */
static void interpreter_leave_target(struct machine *machine, uint32_t block)
{
    const struct flow *flow = machine->method->flow;
    uint32_t outer = flow->loops[machine->target].outer;
    while (outer != FLOW_NONE && !flow_is_in(flow, outer, block))
        outer = flow->loops[outer].outer;
    if (outer == FLOW_NONE)
        machine_end(machine, INTERPRETER_LEFT);
    machine->reached = false;
}

/* Goes on with a block; where a loop has to be left, with what follows it. */
static void interpreter_enter_block(struct machine *machine, uint32_t from, uint32_t block)
{
    const struct flow *flow = machine->method->flow;
    for (;;) {
        if (machine->reached && !flow_is_in(flow, machine->target, block))
            interpreter_leave_target(machine, block);
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
            interpreter_end_early(machine);
            return;
        }
    }
}

/* ------------------------------------------------------------------------------------------ all of it -- */

static void interpreter_run_machine(struct machine *machine)
{
    const struct interpreter_method *method = machine->method;
    interpreter_enter_block(machine, FLOW_NONE, 0);
    uint32_t at = method->flow->blocks[machine->block].begin;
    while (!machine->ended) {
        struct bytecode instruction;
        if (machine->record->steps++ >= INTERPRETER_STEPS_MAX)
            machine_end(machine, INTERPRETER_STEPS);
        else if (!bytecode_decode(method->code, method->bytes, at, &instruction))
            machine_end(machine, INTERPRETER_INVALID);
        else
            at = interpreter_step(machine, &instruction);
        if (machine->ended || method->flow->block_at[at] == FLOW_NONE)
            continue;
        interpreter_enter_block(machine, machine->block, method->flow->block_at[at]);
        at = method->flow->blocks[machine->block].begin;
    }
}

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
        interpreter_run_machine(&machine);
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
