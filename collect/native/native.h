/*
 * native.h - the preloaded agent for native programs: agent.c (begin, end), walk.c (stacks), guard.c (those that can't
 * be walked), modules.c (what an address is), linker.c (the dynamic linker's lock at a fork), methods.c (functions
 * entered and left), patch.h (those that have room for probes), fatal_signals.c (Ctrl-C), interpose/ (threads, exits,
 * execs, signals and masks, identity, namespaces).
 */
#ifndef ASSAY_NATIVE_NATIVE_H
#define ASSAY_NATIVE_NATIVE_H

#include "collect/methods/methods.h"
#include "collect/sample/mask.h"
#include "collect/sample/sampler.h"

#define EXPORT __attribute__((visibility("default")))

/* Codes of frames that are no address. No code lies in the first page. */
enum { FRAME_UNWALKABLE = 1, FRAME_TRUNCATED = 2, FRAME_CODES };

/* sampler_hooks.walk, .function, .frame, .describe and .on_cycle */
size_t walk_stack(void *ucontext, struct trace_raw_frame *frames, size_t max, enum trace_state *state);
uint64_t walk_function(uint64_t code);
uint64_t walk_frame(void *ucontext, uint64_t address);
bool modules_describe(void *user, const struct trace_raw_frame *frame, struct trace_frame_text *text);
void modules_look_again(void *user);

/* Before the first walk, from the constructor. */
void walk_prepare(void);

/* Calls run(user); false if it met a fault, once the guard is installed. */
void guard_install(void);
bool guard_run(void (*run)(void *user), void *user);

/* To the program, the guard's handler is SIG_DFL. */
void guard_hide(struct sigaction *action);
sighandler_t guard_hidden(sighandler_t handler);

/* Finishes the trace; one line on stderr if it could not all be written. */
void agent_end(void);

/* Around whatever asks the dynamic linker or changes probes. */
void modules_lock(void);
void modules_unlock(void);

/* Around a fork; in the child, all is forgotten: module ids belong to the parent's trace. */
void modules_before_fork(void);
void modules_after_fork_in_parent(void);
void modules_forget(void);

/* Finds the dynamic linker's lock of the list of loaded files, which the child of a fork needs. Once, while there is
 * one thread. Where it can't be found, the rest does nothing, and a child's writer may wait for it for ever. */
void linker_find_lock(void);

/* Before a fork, takes a lock under which other threads ask the linker. False if this thread forks while it has the
 * linker's lock itself, in a function that dl_iterate_phdr() calls, and the other has waited for that for 200 ms. */
bool linker_lock_before_fork(pthread_mutex_t *lock);

/* Before a fork, after all other locks: takes it. False if others have had it for 200 ms: the child, in which it is
 * lost then, must not ask which files are loaded. */
bool linker_hold(void);

/* After it, if it is held. */
void linker_release(void);
void linker_release_in_child(void);

/* In a child in which it is lost: no later fork waits for it. */
void linker_forget(void);

/* Finds the longjmp of which this library has one of its own: the guard calls it in a signal handler. */
void methods_find_jumps(void);

/* Finds what assay inject has preloaded, to be told of functions that are entered. */
void methods_find_injected(void);

/* Calls patch_loaded() from now on, as files are loaded. False: not possible here. */
bool load_watch(void);

/* Mode methods: records which functions are entered and left, instead of sampling. 0 or an errno value. */
int methods_start(const struct sampler_config *config);

/* The process is about to end without destructors, perhaps in a signal handler: the trace is made whole. */
void agent_end_from_handler(unsigned timeout_ms);

/* Catches SIGINT, SIGTERM and SIGHUP where they would end the process, to leave a whole trace. */
void fatal_signals_install(void);

/* Finds what free() goes on to. First of all, before dlsym() has failed. */
void interpose_find_free(void);

/* The next definition of a function that this library interposes. */
void *interpose_next(const char *name);

#endif
