/*
 * native.h - the preloaded agent for native programs: agent.c (begin, end), walk.c (stacks), guard.c (those that can't
 * be walked), announce.c and modules.c (what an address is, told to another process or to our writer), linker.c (the
 * dynamic linker's lock at a fork), methods.c (functions entered and left), patch.h (those that have room for probes),
 * fatal_signals.c (Ctrl-C), interpose/ (threads, exits, execs, signals and masks, identity, namespaces).
 */
#ifndef ASSAY_AGENTS_NATIVE_NATIVE_H
#define ASSAY_AGENTS_NATIVE_NATIVE_H

#include <link.h>

#include "collect/methods/methods.h"
#include "collect/agents/native/frame_text.h"
#include "collect/pool/pool.h"
#include "collect/sample/chain.h"
#include "collect/sample/mask.h"
#include "collect/sample/sampler.h"

#define EXPORT __attribute__((visibility("default")))

/* sampler_hooks.walk, .function, .frame, .is_own, .describe and .on_cycle */
size_t native_walk_stack(void *ucontext, struct trace_raw_frame *frames, size_t max, enum trace_state *state);
/* The stack from the program's function on that has called this library. */
size_t walk_callers(struct trace_raw_frame *frames, size_t max);
uint64_t walk_function(uint64_t code);
uint64_t walk_frame(void *ucontext, uint64_t address);
bool walk_is_own(uint64_t code);
bool modules_describe(void *user, const struct trace_raw_frame *frame, struct trace_frame_text *text);
void modules_look_again(void *user);

/* The constructor calls it before the first walk. */
void walk_prepare(void);

/* Reports to the process that writes the trace which file this code is in, if it does not know yet. Async-signal-safe.
 * `last` is the file of the code before, all zero at first. */
struct announced {
    uint64_t begin, bytes;
};
void announce_code(uint64_t code, struct announced *last);
void announce_begin(void);    /* nothing has been reported: in the child of a fork */
void announce_unloaded(void); /* after files may have been unloaded */

/* Mode methods: reports to it all loaded files that it does not know yet, and waits if there is no room; and of the
 * same files, in the child of a fork, which must not ask the dynamic linker. */
void announce_files(void);
void announce_files_again(void);

/* The same where nothing shows that files are loaded: a function has been entered. Async-signal-safe. */
extern bool announce_at_entry __attribute__((visibility("hidden")));
void announce_entered(uint64_t code);

/* Calls run(user); returns false if that met a fault. Needs guard_install_handlers(). */
void guard_install_handlers(void);
bool guard_run(void (*run)(void *user), void *user);

void guard_handle(int signal, siginfo_t *info, void *context);

/* Finishes the trace; prints one line on stderr if it could not be written completely. */
void agent_end(void);

/* To be called around whatever asks the dynamic linker or changes probes. */
void modules_lock(void);
bool modules_try_lock(void);
void modules_unlock(void);

/* To be called around a fork. modules_forget() is for the child, since module ids belong to the parent's trace. */
void modules_before_fork(void);
void modules_after_fork_in_parent(void);
void modules_forget(void);

/* glibc's own dl_iterate_phdr(): that of a preloaded library may need a constructor that has not run yet, or change the
 * names of files, as fakechroot's does. Calls `callback` for each loaded file until one returns another value than 0,
 * which is the result. */
int linker_each(int (*callback)(struct dl_phdr_info *info, size_t size, void *user), void *user);

/* Finds the dynamic linker's lock of the list of loaded files, which the child of a fork needs. To be called once,
 * while there is one thread. If it can't be found, the following functions do nothing, and a child's writer may wait
 * for the lock for ever. */
void linker_find_lock(void);

/* Whether this thread has the lock itself: it runs a callback of dl_iterate_phdr(). */
bool linker_is_own(void);

/* Takes a lock under which other threads ask the linker, before a fork. Returns false, without waiting, if this thread
 * has the linker's lock and another thread, which may wait for that, has the other lock. */
bool linker_lock_before_fork(pthread_mutex_t *lock);

/* Takes the linker's lock before a fork, after all other locks. Returns false if others have held it for 200 ms: in the
 * child it is then lost, so the child must not ask which files are loaded. */
bool linker_hold(void);

/* To be called after the fork, if the lock is held. */
void linker_release(void);
void linker_release_in_child(void);

/* For a child in which the lock is lost, so that no later fork waits for it. */
void linker_forget(void);

/* Finds the C library's longjmp, which this library interposes: the guard calls it in a signal handler. */
void methods_find_jumps(void);

/* Finds the library that assay inject has preloaded, to report to it which functions are entered. */
void methods_find_injected(void);

/* Calls patch_loaded() from now on, as files are loaded. Returns false if that is impossible here. */
bool load_watch(void);
bool load_is_watched(void);

/* Mode methods: records which functions are entered and left, instead of sampling. Returns 0 or an errno value. The
 * second is for the child of a fork, when its sampler has begun. */
int methods_start(const struct sampler_config *config);
void methods_start_in_child(void);

/* Enters and leaves an empty function that has hooks of the compiler, `count` times. */
void native_methods_run_pairs(unsigned count);

/* The path of this library, as the preload has it; "" before it is known. */
const char *agent_path(void);

/* Completes the trace of a process that is about to end without destructors, perhaps in a signal handler. */
void agent_end_from_handler(unsigned timeout_ms);

/* Catches SIGINT, SIGTERM and SIGHUP if they would end the process, to leave a complete trace. */
void fatal_signals_install(void);
void fatal_signals_handle(int signal);

/* Whether this is a handler of this library, in whose location the program sees the default. Async-signal-safe. */
bool agent_has_handler(uintptr_t handler);

/* sampler_chain(), also for the signals of the JVM's agent once that has taken over the process. */
bool agent_chain(int signal, const struct sigaction *action, struct sigaction *before);

/*
 * Ends the recording of this process for good, before it may no longer make the system calls that this library needs;
 * programs that it executes are not recorded either. The recorder prints `reason`, a sentence about the process: "it
 * …".
 */
void agent_end_for_good(const char *reason);
bool agent_has_ended_for_good(void);

/* Finds the free() that ours calls. To be called first of all, before dlsym() has failed. */
void interpose_find_free(void);

/* Finds the syscall() that ours calls, the older functions for signals, and those that transfer data: handlers may call
 * them. */
void interpose_find_object(void);
void interpose_find_syscall(void);
void interpose_find_signals(void);
void interpose_find_transfers(void);
void interpose_find_waits(void);

/* The program is about to install this handler, or NULL (by a system call of its own). */
void interpose_look_at_handler(int signal, sighandler_t handler);

/* Whether the program has ever installed a handler of a signal that could end a call (collect/sample/restart.h). */
bool interpose_handles_signals(void);

/* Blocks ticks in the calling thread; returns those that were not blocked, one bit a signal, which the second one
 * unblocks, keeping errno. A tenth of a microsecond each. Async-signal-safe. */
unsigned long interpose_hold_ticks(void);
void interpose_let_ticks(unsigned long held);

/* The next definition of a function that this library interposes. */
void *interpose_next(const char *name);

#endif
