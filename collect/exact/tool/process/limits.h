/*
 * limits.h - three of the program's resource limits. Its descriptors: Valgrind keeps numbers above the limit for
 * itself, so it reports a lower one, and refuses to change it. Its address space: Valgrind itself needs more than a
 * program may have that limits itself; what the program maps is counted here. Its data segment: for the kernel that is
 * also all memory of Valgrind's, so the core applies it to brk(2) alone.
 */
#ifndef ASSAY_EXACT_TOOL_PROCESS_LIMITS_H
#define ASSAY_EXACT_TOOL_PROCESS_LIMITS_H

#include <valgrind/pub_tool_basics.h>
#include <valgrind/pub_tool_vki.h>

#include "collect/exact/tool/process/calls.h"

void limits_init(void);

/* Answers getrlimit, setrlimit and prlimit64 for the first two limits, and calls that they forbid: True if it has. */
Bool limits_handle(ThreadId tid, const struct call *call);

/* Just before an execution: the kernel gets the limits that the program believes it has, these three only if `all`,
 * since Valgrind would not start with them. */
void limits_pass_on(Bool all);

/* These three, for limits_inherit() of the program that is executed, as the recorder writes them, too: soft and hard
 * limits in decimal, with colons between them. False if the text is damaged. */
enum { LIMITS_TEXT_BYTES = 128 };
void limits_text(HChar text[LIMITS_TEXT_BYTES]);
Bool limits_inherit(const HChar *text);

#endif
