/* machine.c - the instructions that do not need the heap: the stack, variables, constants, computing, jumps. */
#include "collect/inspect/interpret/machine.h"

#include <assert.h>
#include <string.h>

#include "base/grow.h"

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

static void machine_rearrange(struct machine *machine, uint8_t code)
{
    struct value upper, lower, slots[4];
    if (code == OP_POP || code == OP_POP2) {
        machine_pop_slot(machine);
        if (code == OP_POP2)
            machine_pop_slot(machine);
    } else if (code == OP_SWAP) {
        upper = machine_pop_slot(machine);
        lower = machine_pop_slot(machine);
        machine_push_slot(machine, upper);
        machine_push_slot(machine, lower);
    } else {
        /* Copies the upper `count` slots below `below` further ones. */
        uint32_t count = (uint32_t)(code - OP_DUP) / 3 + 1, below = (uint32_t)(code - OP_DUP) % 3, all = count + below;
        assert(all <= sizeof slots / sizeof *slots);
        for (uint32_t i = all; i-- > 0;)
            slots[i] = machine_pop_slot(machine);
        for (uint32_t i = 0; i < count; i++)
            machine_push_slot(machine, slots[below + i]);
        for (uint32_t i = 0; i < all; i++)
            machine_push_slot(machine, slots[i]);
    }
}

/* ------------------------------------------------------------------------------------------ variables -- */

/* A loop that was left by force may not have set a variable as the code after it has it: then it is unknown. */
static void machine_load_local(struct machine *machine, enum value_kind kind, uint32_t number)
{
    bool good = number < machine->method->local_count && machine->locals[number].kind == kind;
    machine_push(machine, good ? machine->locals[number] : value_unknown(kind));
}

static void machine_store_local(struct machine *machine, enum value_kind kind, uint32_t number)
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

static void machine_increment(struct machine *machine, const struct bytecode *instruction)
{
    machine_load_local(machine, VALUE_INT, (uint32_t)instruction->operand);
    struct value value = machine_pop(machine, VALUE_INT);
    if (value.known)
        value.bits = (uint32_t)value.bits + (uint32_t)instruction->second;
    value.bits = (uint32_t)value.bits;
    machine_push(machine, value);
    machine_store_local(machine, VALUE_INT, (uint32_t)instruction->operand);
}

/* ------------------------------------------------------------------------------------------ constants -- */

/* Texts, classes and the like are known to the JVM only once they are resolved. */
static void machine_load_constant(struct machine *machine, const struct bytecode *instruction)
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

static void machine_push_immediate(struct machine *machine, const struct bytecode *instruction)
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
static char machine_next_type(const char **at, const char *end)
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
static void machine_skip_call(struct machine *machine, const struct bytecode *instruction)
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
        slots += 1 + value_is_wide(value_kind_of(machine_next_type(&at, end)));
    for (; slots > 0 && !machine->ended; slots--)
        machine_pop_slot(machine);
    if (instruction->code != OP_INVOKESTATIC && instruction->code != OP_INVOKEDYNAMIC) {
        struct value object = machine_pop(machine, VALUE_REFERENCE);
        if (object.known && object.bits == 0)
            machine_end(machine, INTERPRETER_NULL);
    }
    at++;
    enum value_kind result = value_kind_of(machine_next_type(&at, end));
    if (result != VALUE_NONE)
        machine_push(machine, value_unknown(result));
}

/* ------------------------------------------------------------------------------------------ computing -- */

static bool machine_is_unary(uint8_t code)
{
    return (code >= OP_INEG && code <= OP_DNEG) || (code >= OP_I2L && code <= OP_I2S);
}

/* The kind of the left or only operand. */
static enum value_kind machine_operand_kind(uint8_t code)
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

static void machine_compute(struct machine *machine, uint8_t code)
{
    struct value result = value_unknown(VALUE_INT), right = result;
    enum value_kind kind = machine_operand_kind(code);
    if (!machine_is_unary(code))
        right = machine_pop(machine, code >= OP_ISHL && code <= OP_LUSHR ? VALUE_INT : kind);
    struct value left = machine_pop(machine, kind);
    if (machine->ended)
        return;
    enum value_fault fault =
        machine_is_unary(code) ? value_unary(code, &left, &result) : value_binary(code, &left, &right, &result);
    if (fault != VALUE_GOOD)
        machine_end(machine, fault == VALUE_DIVISION ? INTERPRETER_DIVISION : INTERPRETER_INVALID);
    else
        machine_push(machine, result);
}

/* ------------------------------------------------------------------------------------------ conditions -- */

static enum heap_truth machine_truth(bool truth)
{
    return truth ? HEAP_TRUE : HEAP_FALSE;
}

/* Pops the operands. */
static enum heap_truth machine_test_condition(struct machine *machine, uint8_t code)
{
    bool references = code > OP_IF_ICMPLE, alone = code <= OP_IFLE || code >= OP_IFNULL;
    enum value_kind kind = references ? VALUE_REFERENCE : VALUE_INT;
    struct value right = alone ? value_of(kind, 0) : machine_pop(machine, kind), left = machine_pop(machine, kind);
    if (!left.known || !right.known)
        return HEAP_UNKNOWN;
    if (references)
        return machine_truth((left.bits == right.bits) == (code == OP_IF_ACMPEQ || code == OP_IFNULL));
    /* eq, ne, lt, ge, gt, le in the order of their opcodes. */
    int32_t a = value_as_int(&left);
    int32_t b = value_as_int(&right);
    switch (code - (alone ? OP_IFEQ : OP_IF_ICMPEQ)) {
    case 0:
        return machine_truth(a == b);
    case 1:
        return machine_truth(a != b);
    case 2:
        return machine_truth(a < b);
    case 3:
        return machine_truth(a >= b);
    case 4:
        return machine_truth(a > b);
    default:
        return machine_truth(a <= b);
    }
}

/* Whether it is where an unknown condition should lead: into the target loop, or on in it. */
static bool machine_leads_to_target(const struct machine *machine, uint32_t at)
{
    uint32_t block = machine->method->flow->block_at[at];
    return machine->reached ? flow_is_in(machine->method->flow, machine->target, block)
                            : machine->reaching[block / 64] >> block % 64 & 1;
}

static uint32_t machine_choose_case(struct machine *machine, const struct bytecode *instruction)
{
    const uint8_t *code = machine->method->code;
    struct value key = machine_pop(machine, VALUE_INT);
    if (key.known)
        return bytecode_switch_target(code, instruction, bytecode_switch_find(code, instruction, value_as_int(&key)));
    for (uint32_t i = 0; i < bytecode_switch_targets(code, instruction); i++)
        if (machine_leads_to_target(machine, bytecode_switch_target(code, instruction, i)))
            return bytecode_switch_target(code, instruction, i);
    return bytecode_switch_target(code, instruction, 0);
}

/* ------------------------------------------------------------------------------------------ instructions -- */

void machine_end_early(struct machine *machine)
{
    machine_end(machine, machine->record->iterations > 0 ? INTERPRETER_LEFT : INTERPRETER_NOT_REACHED);
}

/* The instructions that don't jump. */
static void machine_execute(struct machine *machine, const struct bytecode *instruction)
{
    uint8_t code = instruction->code;
    if (code <= OP_SIPUSH)
        code == OP_NOP ? (void)0 : machine_push_immediate(machine, instruction);
    else if (code <= OP_LDC2_W)
        machine_load_constant(machine, instruction);
    else if (code <= OP_ALOAD)
        machine_load_local(machine, (enum value_kind)(code - OP_ILOAD), (uint32_t)instruction->operand);
    else if (code <= OP_ALOAD_3)
        machine_load_local(machine, (enum value_kind)((code - OP_ILOAD_0) / 4), (uint32_t)(code - OP_ILOAD_0) % 4);
    else if (code <= OP_SALOAD)
        machine_load_element(machine, instruction);
    else if (code <= OP_ASTORE)
        machine_store_local(machine, (enum value_kind)(code - OP_ISTORE), (uint32_t)instruction->operand);
    else if (code <= OP_ASTORE_3)
        machine_store_local(machine, (enum value_kind)((code - OP_ISTORE_0) / 4), (uint32_t)(code - OP_ISTORE_0) % 4);
    else if (code <= OP_SASTORE)
        machine_store_element(machine, instruction);
    else if (code <= OP_SWAP)
        machine_rearrange(machine, code);
    else if (code == OP_IINC)
        machine_increment(machine, instruction);
    else if (code <= OP_DCMPG)
        machine_compute(machine, code);
    else if (code == OP_GETSTATIC || code == OP_GETFIELD)
        machine_load_field(machine, instruction);
    else if (code == OP_PUTSTATIC || code == OP_PUTFIELD)
        machine_store_field(machine, instruction);
    else if (code >= OP_INVOKEVIRTUAL && code <= OP_INVOKEDYNAMIC)
        machine_skip_call(machine, instruction);
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
        machine_end_early(machine); /* returns */
}

uint32_t machine_step(struct machine *machine, const struct bytecode *instruction)
{
    if (bytecode_is_goto(instruction))
        return (uint32_t)instruction->operand;
    if (bytecode_is_switch(instruction))
        return machine_choose_case(machine, instruction);
    if (bytecode_is_branch(instruction)) {
        enum heap_truth truth = machine_test_condition(machine, instruction->code);
        uint32_t next = instruction->next, jump = (uint32_t)instruction->operand;
        if (truth != HEAP_UNKNOWN)
            return truth == HEAP_TRUE ? jump : next;
        return machine_leads_to_target(machine, jump) && !machine_leads_to_target(machine, next) ? jump : next;
    }
    machine_execute(machine, instruction);
    return instruction->next;
}
