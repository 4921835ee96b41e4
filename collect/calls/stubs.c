#include "collect/calls/stubs.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "base/copy_readable.h"
#include "base/system_call.h"

/* The stubs of stubs_code.S, which are as large as the entries of their table. */
enum { STUB_BYTES = 8, LOST_MAX = STUBS / 4 * 3 };
extern const char assay_stubs[] __attribute__((visibility("hidden")));
extern const char assay_stubs_end[] __attribute__((visibility("hidden")));

#define LOCAL __attribute__((visibility("hidden"), used))
#define INITIAL_EXEC __attribute__((visibility("hidden"), used, tls_model("initial-exec")))

/* The real addresses. Addresses of free stubs stay for as long as others are: an unwinder may be at one. */
LOCAL _Atomic uint64_t stubs_table[STUBS];
static _Atomic bool used[STUBS];
LOCAL _Atomic uint8_t stubs_over;
INITIAL_EXEC _Thread_local const struct stub_thread *stubs_thread;
LOCAL const uint64_t stubs_all_signals = UINT64_MAX;
LOCAL const uint32_t stubs_float_state = 0x1f80; /* as a process begins */
static _Atomic unsigned last, lost;

_Static_assert(STUBS == 8192 && sizeof *stubs_table == STUB_BYTES && sizeof(_Atomic uint8_t) == 1, "stubs_code.S");
_Static_assert(offsetof(struct stub_thread, low) == 0 && offsetof(struct stub_thread, high) == 8, "stubs_code.S");
_Static_assert(REG_R8 == 0 && REG_RCX == 14 && SYS_rt_sigprocmask == 14, "stubs_code.S");

/* What assay_stub_return has saved. */
struct stub_frame {
    uint64_t registers[REG_RCX + 1], flags, slot;
};

static unsigned stubs_number(uint64_t address)
{
    return (unsigned)((address - (uint64_t)(uintptr_t)assay_stubs) / STUB_BYTES);
}

LOCAL void stubs_arrive(struct stub_frame *frame, uint64_t mask);
LOCAL void stubs_arrive(struct stub_frame *frame, uint64_t mask)
{
    unsigned number = stubs_number(frame->slot);
    uint64_t real = stubs_table[number];
    ucontext_t context = {.uc_stack.ss_flags = SS_DISABLE};
    greg_t *registers = context.uc_mcontext.gregs;
    memcpy(registers, frame->registers, sizeof frame->registers);
    memcpy(&context.uc_sigmask, &mask, sizeof mask);
    registers[REG_RIP] = (greg_t)real;
    registers[REG_RSP] = (greg_t)(uintptr_t)(&frame->slot + 1);
    registers[REG_EFL] = (greg_t)frame->flags;
    stubs_thread->returned(&context, (uint64_t)(uintptr_t)&frame->slot);
    frame->flags = (uint64_t)registers[REG_EFL];
    frame->slot = real;
    used[number] = false;
}

void stubs_listen(const struct stub_thread *thread)
{
    stubs_thread = thread;
}

void stubs_report(bool whether)
{
    stubs_over = !whether;
}

bool stubs_possible(void)
{
    enum { OSXSAVE = 1 << 27, SHSTK_STATUS = 0x5005 };
    unsigned a = 1, b, c = 0, d;
    uint64_t features = 0; /* by which the processor checks returns */
    __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    if (!(c & OSXSAVE))
        return false;
    return system_call(SYS_arch_prctl, SHSTK_STATUS, (long)&features, 0, 0, 0, 0) != 0 || features == 0;
}

bool stubs_is(uint64_t address)
{
    return address - (uint64_t)(uintptr_t)assay_stubs < (uint64_t)STUBS * STUB_BYTES;
}

bool stubs_run(uint64_t code)
{
    return code >= (uint64_t)(uintptr_t)assay_stubs && code < (uint64_t)(uintptr_t)assay_stubs_end;
}

uint64_t stubs_real(uint64_t address)
{
    return stubs_is(address) ? stubs_table[stubs_number(address)] : address;
}

/* In one step: another thread may run on the stack, since coroutines move between threads. */
static bool stubs_exchange(uint64_t slot, uint64_t from, uint64_t to)
{
    return atomic_compare_exchange_strong((_Atomic uint64_t *)slot, &from, to); /* NOLINT: the program's stack */
}

uint64_t stubs_put(uint64_t slot, uint64_t real)
{
    uint64_t before;
    if (stubs_over || lost > LOST_MAX || slot % sizeof before != 0 || !copy_readable(&before, slot, sizeof before) ||
        (stubs_is(before) && before % STUB_BYTES != 0) /* a stub's own call has put it there */ ||
        stubs_real(before) != real)
        return 0;
    for (unsigned tried = 0; tried < STUBS; tried++) {
        unsigned at = atomic_fetch_add(&last, 1) % STUBS;
        if (atomic_exchange(&used[at], true))
            continue;
        uint64_t stub = (uint64_t)(uintptr_t)assay_stubs + (uint64_t)at * STUB_BYTES;
        stubs_table[at] = real;
        bool put = stubs_exchange(slot, before, stub);
        if (!put)
            used[at] = false;
        else if (stubs_is(before)) /* of the process that this one is a fork of, or of a recording that has ended */
            used[stubs_number(before)] = false;
        return put ? stub : 0;
    }
    return 0;
}

bool stubs_take(uint64_t slot, uint64_t stub)
{
    uint64_t word;
    if (!copy_readable(&word, slot, sizeof word) || word != stub || !stubs_exchange(slot, stub, stubs_real(stub))) {
        lost++;
        return false;
    }
    used[stubs_number(stub)] = false;
    return true;
}
