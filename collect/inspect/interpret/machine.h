/*
 * machine.h - internal to the interpreter: its state, its operand stack, and what touches objects (machine_objects.c).
 */
#ifndef ASSAY_INSPECT_INTERPRET_MACHINE_H
#define ASSAY_INSPECT_INTERPRET_MACHINE_H

#include "collect/inspect/interpret/bytecode.h"
#include "collect/inspect/interpret/interpreter.h"

/* An object that the interpretation has made. */
struct machine_object {
    char type; /* of its elements, as in descriptors, 'B' for booleans, too; 0: it is not an array */
    bool zero; /* elements that were not stored are zero; else unknown, as what a constructor has left in a field */
    uint32_t length;
    uint32_t constant; /* that names its class; 0: none does */
};

/* A location that the interpretation has stored into. */
struct machine_store {
    uint32_t object, position; /* the number of an element, or the offset of a field */
    struct value value;
};

struct machine_loop {
    uint32_t passes; /* of its header, since it was entered */
    bool large;      /* it would have gone on */
    bool muted;      /* it is executed without a record */
};

struct machine {
    const struct interpreter_method *method;
    const struct heap *heap;
    uint32_t target, iterations;
    struct interpreter_record *record;
    struct value *locals, *stack;
    uint32_t depth;
    struct keyed stores; /* of struct machine_store */
    struct machine_object *objects;
    uint32_t object_count;
    size_t object_capacity;
    struct machine_loop *loops;
    uint64_t *reaching; /* blocks from which the target loop can be reached */
    uint32_t block;     /* that is being executed */
    bool reached;       /* the target loop was entered, and not left since */
    bool recording;     /* what is executed now belongs to the record */
    bool ended;
};

enum { MACHINE_STACK_MAX = 1024, MACHINE_OBJECTS_MAX = 10000 };

/* Ends the interpretation; the first reason counts. Returns false. */
bool machine_end(struct machine *machine, enum interpreter_end end);
/* Ends it where the code does: whether that is early depends on the iterations so far. */
void machine_end_early(struct machine *machine);

/* Executes one instruction, and returns where the next one is. */
uint32_t machine_step(struct machine *machine, const struct bytecode *instruction);

/* Adds to the record. */
void machine_record(struct machine *machine, const struct interpreter_event *event);

/* A push on a full stack, and a pop of another kind than what is there, end the interpretation. */
void machine_push(struct machine *machine, struct value value);
struct value machine_pop(struct machine *machine, enum value_kind kind);

/* One slot, whatever it holds. */
struct value machine_pop_slot(struct machine *machine);
void machine_push_slot(struct machine *machine, struct value value);

/* Instructions that load, store or make objects; they pop their operands and push their results. */
void machine_load_element(struct machine *machine, const struct bytecode *instruction);
void machine_store_element(struct machine *machine, const struct bytecode *instruction);
void machine_load_field(struct machine *machine, const struct bytecode *instruction);
void machine_store_field(struct machine *machine, const struct bytecode *instruction);
void machine_load_length(struct machine *machine, const struct bytecode *instruction);
void machine_allocate(struct machine *machine, const struct bytecode *instruction);
void machine_check_class(struct machine *machine, const struct bytecode *instruction);

#endif
