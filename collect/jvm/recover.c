/*
 * recover.c - AsyncGetCallTrace gives up where the frame at the program counter is not set up: in the first and last
 * instructions of a method, and in stubs without a frame. The caller's frame is whole, and its program counter is in
 * one of few places. Each guess is checked (a return address must be in generated code), then AsyncGetCallTrace is
 * asked again with a copy of the registers; the real ones are never touched.
 */
#include "collect/jvm/agent.h"

#include <ucontext.h>

struct recover_registers {
    uintptr_t pc, sp, fp;
};

#if defined(__x86_64__)
static struct recover_registers recover_get(const ucontext_t *context)
{
    const greg_t *registers = context->uc_mcontext.gregs;
    return (struct recover_registers){(uintptr_t)registers[REG_RIP], (uintptr_t)registers[REG_RSP],
                                      (uintptr_t)registers[REG_RBP]};
}

static void recover_set(ucontext_t *context, const struct recover_registers *registers)
{
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)registers->pc;
    context->uc_mcontext.gregs[REG_RSP] = (greg_t)registers->sp;
    context->uc_mcontext.gregs[REG_RBP] = (greg_t)registers->fp;
}

/* How far a frame pointer may plausibly be above the stack pointer. */
enum { FRAME_BYTES_MAX = 65536, GUESSES = 3 };

/*
 * The caller's registers under the guess with this number: 0, the return address is on top of the stack (before the
 * frame is pushed, or after it is popped); 1, the frame pointer has been pushed above it; 2, a frame with a frame
 * pointer is complete. False if the guess can't be.
 */
static bool recover_guess(int guess, const struct recover_registers *now, struct recover_registers *caller)
{
    const uintptr_t *top = (const uintptr_t *)now->sp;
    if (now->sp % sizeof *top)
        return false;
    if (guess == 0) {
        *caller = (struct recover_registers){top[0], now->sp + 8, now->fp};
    } else if (guess == 1) {
        *caller = (struct recover_registers){top[1], now->sp + 16, top[0]};
    } else {
        const uintptr_t *frame = (const uintptr_t *)now->fp;
        if (now->fp % sizeof *frame || now->fp < now->sp || now->fp - now->sp > FRAME_BYTES_MAX)
            return false;
        *caller = (struct recover_registers){frame[1], now->fp + 16, frame[0]};
    }
    return true;
}
#elif defined(__aarch64__)
static struct recover_registers recover_get(const ucontext_t *context)
{
    return (struct recover_registers){context->uc_mcontext.pc, context->uc_mcontext.sp, context->uc_mcontext.regs[29]};
}

static void recover_set(ucontext_t *context, const struct recover_registers *registers)
{
    context->uc_mcontext.pc = registers->pc;
    context->uc_mcontext.sp = registers->sp;
    context->uc_mcontext.regs[29] = registers->fp;
}

enum { GUESSES = 0 };

static bool recover_guess(int guess, const struct recover_registers *now, struct recover_registers *caller)
{
    (void)guess, (void)now, (void)caller;
    return false;
}
#else
#error "registers of this architecture are not known"
#endif

/* recover_guess(), where a register that points nowhere is no guess. */
static bool recover_try(int guess, const struct recover_registers *now, struct recover_registers *caller)
{
    sigjmp_buf jump;
    if (sigsetjmp(jump, 0)) {
        guard_caught();
        return false;
    }
    guard_jump = &jump;
    bool good = recover_guess(guess, now, caller) && codemap_is_generated(codemap_kind(caller->pc));
    guard_jump = NULL;
    return good;
}

uintptr_t recover_pc(const void *ucontext)
{
    return recover_get(ucontext).pc;
}

int recover_walk(JNIEnv *env, void *ucontext, struct trace_raw_frame *frames, size_t max, uint64_t *leaf)
{
    struct recover_registers now = recover_get(ucontext);
    enum code_kind kind = codemap_kind(now.pc);
    if (!codemap_is_generated(kind))
        return 0;
    for (int guess = 0; guess < GUESSES; guess++) {
        struct recover_registers caller;
        if (!recover_try(guess, &now, &caller))
            continue;
        ucontext_t copy = *(const ucontext_t *)ucontext;
        recover_set(&copy, &caller);
        int count = walk_ask(env, &copy, frames, max);
        if (count <= 0)
            continue;
        /* A stub works for the method that called it; the caller of a method is not that method. */
        *leaf = kind == CODE_STUB ? PSEUDO_NONE : PSEUDO_ENTRY;
        return count;
    }
    return 0;
}
