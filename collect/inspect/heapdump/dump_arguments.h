/*
 * dump_arguments.h - the arguments of a method that is interpreted on a dump.
 *
 * A method that is on a stack gets the objects that its frame refers to, which the dump has without names, in the order
 * of the frame's variables: each parameter the first object of its type behind that of the parameter before it. Dead
 * variables are not in the dump. What no frame has is chosen: of a class, one of several instances that are evenly
 * spread over the heap; of an array type, one of the longest. Numbers are unknown.
 */
#ifndef ASSAY_INSPECT_HEAPDUMP_DUMP_ARGUMENTS_H
#define ASSAY_INSPECT_HEAPDUMP_DUMP_ARGUMENTS_H

#include "collect/inspect/heapdump/dump_heap.h"
#include "collect/inspect/heapdump/dump_targets.h"

/* Where an argument comes from. */
enum dump_source {
    SOURCE_STACK,   /* an object that a frame of the method refers to */
    SOURCE_CHOSEN,  /* an object of its type */
    SOURCE_MISSING, /* a reference: the heap has no object of its type, or it is not known to have one */
    SOURCE_NUMBER,  /* unknown */
    SOURCE_KINDS
};
const char *dump_source_name(enum dump_source source); /* "from stacks" */

/* Objects to choose from, for each type that some parameter has. */
enum { CHOICES = 16 };
struct dump_choices {
    const struct dump_types *types;
    struct dump_choice *all; /* [count] */
    size_t count, capacity;
};

/* Chooses for the parameters of all targets. 0 or ENOMEM. Cost: reads the headers of all objects once. */
int dump_choices_find(struct dump_choices *choices, const struct dump_types *types, const struct dump_targets *targets,
                      const struct hprof_progress *progress);
void dump_choices_free(struct dump_choices *choices);

/*
 * Fills locals[local_count] with the arguments of a method in a frame (NULL: in none), and counts[] with what they are.
 * What is chosen is the choice with number `which`, from 0, of each type, or the last one. Returns how many choices
 * there are: the most of any parameter, 1 if nothing is chosen.
 */
uint32_t dump_arguments_fill(const struct dump_choices *choices, struct dump_heap *heap,
                             const struct dump_target *target, const struct dump_frame *frame, uint32_t which,
                             struct value *locals, uint64_t counts[SOURCE_KINDS]);

#endif
