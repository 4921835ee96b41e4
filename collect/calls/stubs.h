/*
 * stubs.h - return stubs, for machines whose debug registers do not trap: the return address of a call is replaced by
 * the address of a stub, which reports the return to the thread's handler and continues at the real address.
 *
 * Every stub has a location of its own in a table, so that unwinders find the real address: the unwind tables of this
 * library give it for each stub. A stub whose slot was overwritten while it was in use (a frame that was left by a
 * jump) is never used again, since a copy of the slot may exist: coroutines copy stacks, and return on other threads.
 * Its location in the table stays, and a return through it goes on to the real address.
 *
 * The program relies on every register at a return, not only on those that the calling convention preserves, and may
 * have little stack left: all are saved, and the work is done on the thread's stack for handlers, with all signals
 * blocked. About half a microsecond.
 */
#ifndef ASSAY_CALLS_STUBS_H
#define ASSAY_CALLS_STUBS_H

#include <stdbool.h>
#include <stdint.h>

enum { STUBS = 8192 };

/* Says of a thread whose calls are chosen where its handlers work, and what happens at a return. */
struct stub_thread {
    uint64_t low, high; /* that stack; the code of the stubs finds these two by their location */
    /* `slot` had the return address, at which the thread goes on with the registers of *ucontext; changes of its flags
     * take effect. */
    void (*returned)(void *ucontext, uint64_t slot);
};

/* From now on *thread hears of the calling thread's returns; NULL: nobody does. */
void stubs_listen(const struct stub_thread *thread);

/* Whether stubs can be used in the calling thread: the processor does not check return addresses (shadow stacks), and
 * saves its registers by XSAVE. */
bool stubs_possible(void);

/* Replaces the return address `real` in `slot` by a stub's address, and returns that; 0: something else is there, a
 * return through it is under way, it can't be read, all stubs are used up, or the process has ended its recording. */
uint64_t stubs_put(uint64_t slot, uint64_t real);

/* Puts the return address back. False: the stub is lost, since something else is in the slot, or it can't be read any
 * more. */
bool stubs_take(uint64_t slot, uint64_t stub);

/* Whether this is the address of a stub, and the address for which it stands; any other address itself. */
bool stubs_is(uint64_t address);
uint64_t stubs_real(uint64_t address);

/* Whether this is code of the stubs: a thread that a signal finds there is between two functions, and its flags and the
 * slot that it returns through are the stubs' to change. */
bool stubs_run(uint64_t code);

/* Switches off, or on again, that anybody hears of returns: a process that may not make system calls needs it off. */
void stubs_report(bool whether);

#endif
