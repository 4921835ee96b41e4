/*
 * frames.h - the active calls of each thread, updated on call and return.
 *
 * A frame is the stack pointer right after its call has pushed the return address, and the caller's node. Anything that
 * makes the stack pointer rise above that (return, longjmp, an exception) ends it.
 */
#ifndef ASSAY_EXACT_TOOL_STATE_FRAMES_H
#define ASSAY_EXACT_TOOL_STATE_FRAMES_H

#include <valgrind/pub_tool_basics.h>

#include "collect/exact/tool/state/context.h"

extern Addr frames_top;     /* of the running thread: the innermost frame's stack pointer; ~0: no frame */
extern UInt frames_thread;  /* number of the running thread, from 1 */
extern UInt frames_threads; /* threads so far */

/* The thread now runs. Creates its root if it is new. */
void frames_switch(ThreadId tid);
void frames_forget(ThreadId tid); /* it has ended */
void frames_forget_others(ThreadId tid);

/* Called from translated code. sp: after the return address was pushed or popped. */
void frames_call(struct context_block *block, Addr sp);
void frames_return(Addr sp, ULong raised, ULong result);
void frames_check(Addr sp);

/* A function begins with its return address at sp. Makes a frame for it if no call has, as for a signal handler;
 * returns whether one has. */
Bool frames_enter(Addr sp);

UInt frames_depth(void);          /* of the running thread: its frames */
UInt frames_number(ThreadId tid); /* of that thread; 0: it is unknown */

/* When a frame of the running thread ends that is among the first frames_guarded, this is called with the number of
 * those that remain, unless it ends by the return instruction of the call that made it. */
extern UInt frames_guarded;
extern void (*frames_on_left)(UInt depth);

/* A signal handler begins and ends in the running thread; sp and address are the interrupted code's; `elsewhere`: it
 * runs on the alternate stack. */
void frames_signal(ThreadId tid, Addr sp, Addr address, Bool elsewhere);
void frames_signal_end(void);

#endif
