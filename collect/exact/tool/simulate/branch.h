/* branch.h - the branch predictor of the simulated processor; simulated.h says what it models. */
#ifndef ASSAY_EXACT_TOOL_SIMULATE_BRANCH_H
#define ASSAY_EXACT_TOOL_SIMULATE_BRANCH_H

#include <valgrind/pub_tool_basics.h>

/* From translated code: a conditional branch was taken or not; an indirect jump or call goes to a target.
 * Mispredictions are added to `simulated`, unless it is paused. */
void branch_conditional(Addr place, ULong taken);
void branch_indirect(Addr place, Addr target);

#endif
