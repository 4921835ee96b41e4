#include "collect/inspect/interpret/machine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* The types of elements, in the order of the instructions that load and store them. */
static const char ELEMENT_TYPES[] = "IJFDLBCS";

/* ------------------------------------------------------------------------------------------ the table -- */

static const struct value *machine_find_store(const struct machine *machine, uint32_t object, uint32_t position)
{
    uint32_t index = keyed_find(&machine->stores, (uint32_t[]){object, position});
    return index == KEYED_FULL ? NULL : &((const struct machine_store *)keyed_at(&machine->stores, index))->value;
}

static void machine_add_store(struct machine *machine, uint32_t object, uint32_t position, char type,
                              struct value value)
{
    value.bits = value_narrow(type, value.bits);
    const struct machine_store store = {object, position, value};
    uint32_t index = machine->stores.count < MACHINE_OBJECTS_MAX ? keyed_add(&machine->stores, &store) : KEYED_FULL;
    if (index == KEYED_FULL)
        machine_end(machine, INTERPRETER_STEPS);
    else
        ((struct machine_store *)keyed_at(&machine->stores, index))->value = value;
}

/* ------------------------------------------------------------------------------------------ the record -- */

static void machine_record_dependences(struct machine *machine, const struct value *on, uint32_t to, uint32_t how)
{
    for (int i = 0; on && i < VALUE_SOURCES && on->sources[i]; i++) {
        const struct interpreter_dependence dependence = {on->sources[i], to, how};
        if (keyed_add(&machine->record->dependences, &dependence) == KEYED_FULL)
            machine_end(machine, INTERPRETER_NO_MEMORY);
    }
}

/* What a load from a living object gives: what was stored there, or else what the heap holds (`found`). It becomes
 * part of the record. */
static struct value machine_record_load(struct machine *machine, uint32_t load, uint32_t object, uint32_t offset,
                                        char type, const struct value *stored, const struct value *found)
{
    enum value_kind kind = value_kind_of(type);
    struct value value = stored ? *stored : found ? *found : value_unknown(kind);
    uint64_t address = machine->heap->address(machine->heap->user, object);
    uint32_t bytes = value_bytes_of(type);
    value.kind = (uint8_t)kind;
    value.sources[0] = value.sources[1] = 0;
    if (!machine->recording || !address)
        return value;
    machine_record(machine, &(struct interpreter_event){.load = load,
                                                        .bytes = bytes ? bytes : machine->heap->layout->reference_bytes,
                                                        .reference = kind == VALUE_REFERENCE,
                                                        .living = !stored && value.known,
                                                        .address = address + offset,
                                                        .value = value.known ? value.bits : 0});
    value.sources[0] = load;
    return value;
}

static uint32_t machine_load_number(const struct bytecode *instruction, bool length)
{
    return instruction->at * 2 + length + 1;
}

static const struct machine_object *machine_own_object(const struct machine *machine, uint32_t number)
{
    assert(number < HEAP_PRIVATE || number - HEAP_PRIVATE < machine->object_count);
    return number >= HEAP_PRIVATE ? &machine->objects[number - HEAP_PRIVATE] : NULL;
}

/* Whether a reference leads to an object that is known; null ends the interpretation. */
static bool machine_check_reference(struct machine *machine, const struct value *reference)
{
    if (machine->ended || !reference->known)
        return false;
    return reference->bits != 0 || machine_end(machine, INTERPRETER_NULL);
}

/* ------------------------------------------------------------------------------------------ arrays -- */

/* An array with elements of this type, and its length. False: the length is not known, or the interpretation ended. */
static bool machine_array_length(struct machine *machine, const struct value *array, char type, uint32_t *length)
{
    uint32_t number = (uint32_t)array->bits;
    const struct machine_object *own = machine_own_object(machine, number);
    if (!own)
        return machine->heap->length(machine->heap->user, number, type, length);
    *length = own->length;
    return own->type == type || machine_end(machine, INTERPRETER_INVALID);
}

static bool machine_check_bounds(struct machine *machine, const struct value *index, uint32_t length)
{
    if (!index->known)
        return false;
    return (uint32_t)index->bits < length || machine_end(machine, INTERPRETER_BOUNDS);
}

static uint32_t machine_element_bytes(const struct machine *machine, char type)
{
    uint32_t bytes = value_bytes_of(type);
    return bytes ? bytes : machine->heap->layout->reference_bytes;
}

static struct value machine_load_living_element(struct machine *machine, const struct bytecode *instruction,
                                                const struct value *array, const struct value *index, char type)
{
    const struct heap *heap = machine->heap;
    uint32_t object = (uint32_t)array->bits, at = (uint32_t)index->bits, load = machine_load_number(instruction, false);
    uint32_t bytes = machine_element_bytes(machine, type);
    struct value found = value_of(value_kind_of(type), 0);
    found.known = heap->load_element(heap->user, object, type, at, &found.bits);
    uint64_t offset = heap->layout->elements[(unsigned char)type] + (uint64_t)at * bytes;
    if (offset > UINT32_MAX)
        return value_unknown(value_kind_of(type));
    struct value value = machine_record_load(machine, load, object, (uint32_t)offset, type,
                                             machine_find_store(machine, object, at), &found);
    if (machine->recording) {
        machine_record_dependences(machine, array, load, INTERPRETER_BASE);
        machine_record_dependences(machine, index, load, INTERPRETER_INDEX);
    }
    return value;
}

void machine_load_element(struct machine *machine, const struct bytecode *instruction)
{
    char type = ELEMENT_TYPES[instruction->code - OP_IALOAD];
    struct value index = machine_pop(machine, VALUE_INT), array = machine_pop(machine, VALUE_REFERENCE);
    struct value value = value_unknown(value_kind_of(type));
    uint32_t length;
    if (machine_check_reference(machine, &array) && machine_array_length(machine, &array, type, &length)) {
        const struct machine_object *own = machine_own_object(machine, (uint32_t)array.bits);
        if (!own) {
            /* The check of bounds loads the length, too: L3, L7 and L10 in the paper's Table 1. */
            const struct value found = value_int((int32_t)length);
            struct interpreter_record *record = machine->record;
            uint32_t load = machine_load_number(instruction, true);
            size_t before = record->event_count;
            machine_record_load(machine, load, (uint32_t)array.bits, machine->heap->layout->length, 'I', NULL, &found);
            if (record->event_count > before)
                record->events[before].element_bytes = machine_element_bytes(machine, type);
            if (machine->recording)
                machine_record_dependences(machine, &array, load, INTERPRETER_BASE);
        }
        if (machine_check_bounds(machine, &index, length) && !own) {
            value = machine_load_living_element(machine, instruction, &array, &index, type);
        } else if (!machine->ended && own && index.known) {
            const struct value *stored = machine_find_store(machine, (uint32_t)array.bits, (uint32_t)index.bits);
            value = stored ? *stored : own->zero ? value_of(value_kind_of(type), 0) : value;
        }
    }
    machine_push(machine, value);
}

/* A store whose location is not known is left out. */
void machine_store_element(struct machine *machine, const struct bytecode *instruction)
{
    char type = ELEMENT_TYPES[instruction->code - OP_IASTORE];
    struct value value = machine_pop(machine, value_kind_of(type));
    struct value index = machine_pop(machine, VALUE_INT), array = machine_pop(machine, VALUE_REFERENCE);
    uint32_t length;
    if (machine_check_reference(machine, &array) && machine_array_length(machine, &array, type, &length) &&
        machine_check_bounds(machine, &index, length))
        machine_add_store(machine, (uint32_t)array.bits, (uint32_t)index.bits, type, value);
}

void machine_load_length(struct machine *machine, const struct bytecode *instruction)
{
    const struct heap *heap = machine->heap;
    struct value array = machine_pop(machine, VALUE_REFERENCE), value = value_unknown(VALUE_INT);
    uint32_t length, load = machine_load_number(instruction, true);
    if (machine_check_reference(machine, &array)) {
        const struct machine_object *own = machine_own_object(machine, (uint32_t)array.bits);
        if (own) {
            value = value_int((int32_t)own->length);
        } else if (heap->any_length(heap->user, (uint32_t)array.bits, &length)) {
            const struct value found = value_int((int32_t)length);
            value = machine_record_load(machine, load, (uint32_t)array.bits, heap->layout->length, 'I', NULL, &found);
            if (machine->recording)
                machine_record_dependences(machine, &array, load, INTERPRETER_BASE);
        }
    }
    machine_push(machine, value);
}

/* ------------------------------------------------------------------------------------------ fields -- */

/* The type of the field that an instruction names; 0, and the end: it is none. */
static char machine_field_type(struct machine *machine, const struct bytecode *instruction)
{
    struct constants_member member;
    bool good = constants_member(machine->method->constants, (uint32_t)instruction->operand, &member) &&
                value_kind_of(*member.descriptor.text) != VALUE_NONE;
    if (!good)
        machine_end(machine, INTERPRETER_INVALID);
    return good ? *member.descriptor.text : '\0';
}

/* The object with the field, and the field. False: they are not known. */
static bool machine_find_field(struct machine *machine, const struct bytecode *instruction, const struct value *object,
                               struct heap_field *field)
{
    const struct heap *heap = machine->heap;
    bool is_static = instruction->code == OP_GETSTATIC || instruction->code == OP_PUTSTATIC;
    if (!is_static && !machine_check_reference(machine, object))
        return false;
    if (!heap->find_field(heap->user, (uint32_t)instruction->operand, is_static, field))
        return false;
    if (!is_static)
        field->holder = (uint32_t)object->bits;
    return true;
}

void machine_load_field(struct machine *machine, const struct bytecode *instruction)
{
    const struct heap *heap = machine->heap;
    struct value object = value_unknown(VALUE_REFERENCE);
    struct heap_field field;
    char type = machine_field_type(machine, instruction);
    struct value value = value_unknown(value_kind_of(type)), found = value;
    if (instruction->code == OP_GETFIELD)
        object = machine_pop(machine, VALUE_REFERENCE);
    if (!machine->ended && machine_find_field(machine, instruction, &object, &field)) {
        const struct value *stored = machine_find_store(machine, field.holder, field.offset);
        if (field.holder >= HEAP_PRIVATE) {
            value = stored ? *stored : value;
        } else if ((found.known = heap->load_field(heap->user, field.holder, &field, type, &found.bits)) || stored) {
            uint32_t load = machine_load_number(instruction, false);
            value = machine_record_load(machine, load, field.holder, field.offset, type, stored, &found);
            if (machine->recording)
                machine_record_dependences(machine, &object, load, INTERPRETER_BASE);
        }
    }
    if (!machine->ended)
        machine_push(machine, value);
}

void machine_store_field(struct machine *machine, const struct bytecode *instruction)
{
    struct value object = value_unknown(VALUE_REFERENCE);
    struct heap_field field;
    char type = machine_field_type(machine, instruction);
    if (machine->ended)
        return;
    struct value value = machine_pop(machine, value_kind_of(type));
    if (instruction->code == OP_PUTFIELD)
        object = machine_pop(machine, VALUE_REFERENCE);
    if (!machine->ended && machine_find_field(machine, instruction, &object, &field))
        machine_add_store(machine, field.holder, field.offset, type, value);
}

/* ------------------------------------------------------------------------------------------ new objects -- */

static struct value machine_new_object(struct machine *machine, const struct machine_object *object)
{
    struct machine_object *grown =
        machine->object_count < MACHINE_OBJECTS_MAX
            ? grow_unset(machine->objects, &machine->object_capacity, machine->object_count, sizeof *grown)
            : NULL;
    if (!grown) {
        machine_end(machine, INTERPRETER_STEPS);
        return value_unknown(VALUE_REFERENCE);
    }
    machine->objects = grown;
    grown[machine->object_count] = *object;
    return value_of(VALUE_REFERENCE, (uint64_t)HEAP_PRIVATE + machine->object_count++);
}

static struct value machine_new_array(struct machine *machine, char type, bool zero)
{
    struct value length = machine_pop(machine, VALUE_INT);
    if (machine->ended || !length.known)
        return value_unknown(VALUE_REFERENCE);
    if (value_as_int(&length) < 0) {
        machine_end(machine, INTERPRETER_CAST);
        return value_unknown(VALUE_REFERENCE);
    }
    return machine_new_object(machine, &(struct machine_object){type, zero, (uint32_t)length.bits, 0});
}

void machine_allocate(struct machine *machine, const struct bytecode *instruction)
{
    static const char TYPES[] = "BCFDBSIJ"; /* those of newarray, from 4 */
    uint32_t type = (uint32_t)instruction->operand - 4;
    struct value made = value_unknown(VALUE_REFERENCE);
    switch (instruction->code) {
    case OP_NEW:
        made = machine_new_object(machine, &(struct machine_object){'\0', false, 0, (uint32_t)instruction->operand});
        break;
    case OP_NEWARRAY:
        made = machine_new_array(machine, type < sizeof TYPES - 1 ? TYPES[type] : 'I', true);
        break;
    case OP_ANEWARRAY:
        made = machine_new_array(machine, 'L', true);
        break;
    default: { /* the arrays in it are not made */
        struct constants_text name = constants_class(machine->method->constants, (uint32_t)instruction->operand);
        char inner = name.length > 1 ? name.text[1] : 'L';
        for (int32_t i = 1; i < instruction->second; i++)
            machine_pop(machine, VALUE_INT);
        made = machine_new_array(machine, inner == 'Z' ? 'B' : inner == '[' ? 'L' : inner, instruction->second == 1);
        break;
    }
    }
    machine_push(machine, made);
}

void machine_check_class(struct machine *machine, const struct bytecode *instruction)
{
    uint32_t constant = (uint32_t)instruction->operand;
    struct value object = machine_pop(machine, VALUE_REFERENCE);
    enum heap_truth truth = HEAP_UNKNOWN;
    if (!machine->ended && object.known && object.bits == 0) {
        truth = HEAP_FALSE;
    } else if (!machine->ended && object.known) {
        const struct constants *constants = machine->method->constants;
        const struct machine_object *own = machine_own_object(machine, (uint32_t)object.bits);
        struct constants_text made = constants_class(constants, own ? own->constant : 0),
                              wanted = constants_class(constants, constant);
        if (!own)
            truth = machine->heap->is_instance(machine->heap->user, (uint32_t)object.bits, constant);
        else if (made.text && made.length == wanted.length && memcmp(made.text, wanted.text, made.length) == 0)
            truth = HEAP_TRUE;
    }
    if (instruction->code == OP_INSTANCEOF) {
        struct value result = truth == HEAP_UNKNOWN ? value_unknown(VALUE_INT) : value_int(truth == HEAP_TRUE);
        machine_push(machine, result);
    } else if (truth == HEAP_FALSE && object.bits != 0) {
        machine_end(machine, INTERPRETER_CAST);
    } else {
        machine_push(machine, object);
    }
}
