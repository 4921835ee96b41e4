/*
 * functions.h - the functions that the user named, and where they begin.
 *
 * A name is a function's as the linker knows it, or as it is written in the source, with or without its parameters;
 * blanks do not matter, and * and ? stand for anything. A piece that a compiler has split from a function (.cold,
 * .part) is not the function. Files are looked at when their code is translated for the first time.
 */
#ifndef ASSAY_EXACT_TOOL_INSTANCES_FUNCTIONS_H
#define ASSAY_EXACT_TOOL_INSTANCES_FUNCTIONS_H

#include <valgrind/pub_tool_basics.h>

#include "collect/exact/tool/state/context.h"

/* Takes an option of the command line: --assay-function=NAME. False: it is another one. */
Bool functions_option(const HChar *argument);
Bool functions_are_named(void);

void functions_init(void);

/* Code at this address is about to be translated: its file is known from now on. */
void functions_load_code(Addr address);

/* The function that begins here, for good; NULL: none that was named. */
const struct context_slot *functions_entry_at(Addr address);

/* This memory means something else from now on. */
void functions_forget(Addr from, SizeT bytes);

/* Each name, with the number of functions' symbols that it matches, in all files that have been mapped. */
void functions_report(void (*report)(const HChar *name, UInt functions));

#endif
