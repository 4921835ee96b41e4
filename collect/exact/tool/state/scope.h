/*
 * scope.h - the redundancy scope: the outermost loop around two accesses that iterated between them.
 *
 * Source: Su, dissertation 2020, §3.4.3, Claim 1. T counts header passes only: an access gets the time of the last
 * pass, so a loop iterated between the two iff its time is greater than the first access's.
 */
#ifndef ASSAY_EXACT_TOOL_STATE_SCOPE_H
#define ASSAY_EXACT_TOOL_STATE_SCOPE_H

#include <valgrind/pub_tool_basics.h>

/* The address of the loop's header; 0: none. The second access happens now; `time` is that of the first. */
Addr scope_find(UInt first, UInt second, UInt time);

/* The header of the innermost loop around an instruction, in its function; 0: none. Cached by function. */
Addr scope_innermost(Addr address);

/* Whether the instruction is the header of a natural loop of its function. Cached by function. */
Bool scope_is_header(Addr address);

/* Code at a … a+length−1 has changed. */
void scope_forget(Addr a, SizeT length);

#endif
