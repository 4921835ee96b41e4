/*
 * debug_register.h - a debug register of one thread of this process, as a perf event: SIGTRAP after an instruction that
 * has touched the place that it watches.
 */
#ifndef ASSAY_PERF_DEBUG_REGISTER_H
#define ASSAY_PERF_DEBUG_REGISTER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { DEBUG_REGISTERS = 4 /* of an x86 processor */, DEBUG_REGISTER_BYTES = 8 /* the most that one watches */ };

struct debug_register {
    int fd;         /* of the perf event; −1: none */
    uint64_t event; /* its id: the program may close the descriptor, and reuse its number */
    bool kernel;    /* it traps in the kernel as well */
    uint64_t word;  /* what its signals carry */
};

/* What a register watches: `bytes` (1, 2, 4 or 8) at a multiple of that. */
struct debug_place {
    uint64_t address;
    unsigned bytes;
    bool writes_only;
};

/*
 * Opens a register of thread `tid`, which watches nothing yet and traps in the kernel as well if `kernel`. 0, or an
 * errno value: ENOSPC, all are taken; EINVAL, the kernel is older than 5.13; EACCES or EPERM.
 */
int debug_register_open(struct debug_register *which, pid_t tid, bool kernel, uint64_t word);

/* Closes it, unless the program has closed its descriptor. */
void debug_register_close(const struct debug_register *which);

/* The next three are async-signal-safe; 2 to 3 µs each in a virtual machine. */
bool debug_register_watch(const struct debug_register *which, struct debug_place place);
void debug_register_pause(const struct debug_register *which);
void debug_register_resume(const struct debug_register *which);

/* Some virtual machines allow setting debug registers, but never trap: 0 if one counts a store and a load, else EIO, or
 * an errno value of debug_register_open(). Others lose a trap now and then, which the kernel then takes for nobody's:
 * it tries three times, and takes SIGTRAP meanwhile. */
int debug_register_try(void);

/* Whether a signal comes from a register, with which word, and whether it was blocked when the place was touched. */
bool debug_register_trapped(const siginfo_t *info, uint64_t *word, bool *late);

/*
 * Whether a signal is a trap that the kernel takes for nobody's, since the register was set or cleared while the trap
 * was on its way; where the processor's debug status is empty, as in some virtual machines, for that of an instruction
 * (int1), which is not there. Which register it was can't be known.
 */
bool debug_register_strayed(const siginfo_t *info, uint64_t code);

#endif
