/*
 * recover.c - AsyncGetCallTrace gives up where the frame at the program counter is not set up: in the first and last
 * instructions of a method, and in stubs without a frame. The caller's frame is complete. Its position follows from the
 * instructions of a compiled method (edge.c); elsewhere its program counter is in one of few places. Each guess is
 * checked (a return address must be in generated code), then AsyncGetCallTrace is called again with a copy of the
 * registers; the real ones are never touched.
 */
#include "collect/agents/jvm/agent.h"

#include <ucontext.h>

#if defined(__x86_64__)
static struct recover_registers recover_read_registers(const ucontext_t *context)
{
    const greg_t *registers = context->uc_mcontext.gregs;
    return (struct recover_registers){(uintptr_t)registers[REG_RIP], (uintptr_t)registers[REG_RSP],
                                      (uintptr_t)registers[REG_RBP]};
}

static void recover_write_registers(ucontext_t *context, const struct recover_registers *registers)
{
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)registers->pc;
    context->uc_mcontext.gregs[REG_RSP] = (greg_t)registers->sp;
    context->uc_mcontext.gregs[REG_RBP] = (greg_t)registers->fp;
}

/* The largest plausible distance of a frame pointer above the stack pointer. */
enum { FRAME_BYTES_MAX = 65536, GUESSES_METHOD = 3, GUESSES_STUB = 10 };

/*
 * The caller's registers under the guess with this number: 0, the return address is on top of the stack (before the
 * frame is pushed, or after it is popped); 1, the frame pointer has been pushed above it; 2, a frame with a frame
 * pointer is complete; from 3 on, that number minus one of other words have been pushed above it, as stubs do. False if
 * the guess is impossible.
 */
static bool recover_guess_caller(int guess, const struct recover_registers *now, struct recover_registers *caller)
{
    const uintptr_t *top = (const uintptr_t *)now->sp; /* NOLINT: an address on this thread's stack */
    if (now->sp % sizeof *top)
        return false;
    if (guess == 1) {
        *caller = (struct recover_registers){top[1], now->sp + 16, top[0]};
    } else if (guess == 2) {
        const uintptr_t *frame = (const uintptr_t *)now->fp; /* NOLINT: likewise */
        if (now->fp % sizeof *frame || now->fp < now->sp || now->fp - now->sp > FRAME_BYTES_MAX)
            return false;
        *caller = (struct recover_registers){frame[1], now->fp + 16, frame[0]};
    } else {
        int pushed = guess == 0 ? 0 : guess - 1;
        *caller = (struct recover_registers){top[pushed], now->sp + 8 * (uintptr_t)(pushed + 1), now->fp};
    }
    return true;
}

/* The interpreter keeps the entered method here until its frame is complete. */
static uintptr_t recover_entered_method(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.gregs[REG_RBX];
}
/* The register with the address of the current bytecode. */
static uintptr_t recover_bytecode_pointer(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.gregs[REG_R13];
}
#elif defined(__aarch64__)
static struct recover_registers recover_read_registers(const ucontext_t *context)
{
    return (struct recover_registers){context->uc_mcontext.pc, context->uc_mcontext.sp, context->uc_mcontext.regs[29]};
}

static void recover_write_registers(ucontext_t *context, const struct recover_registers *registers)
{
    context->uc_mcontext.pc = registers->pc;
    context->uc_mcontext.sp = registers->sp;
    context->uc_mcontext.regs[29] = registers->fp;
}

enum { GUESSES_METHOD = 0, GUESSES_STUB = 0 };

static bool recover_guess_caller(int guess, const struct recover_registers *now, struct recover_registers *caller)
{
    (void)guess, (void)now, (void)caller;
    return false;
}

static uintptr_t recover_entered_method(const ucontext_t *context)
{
    (void)context;
    return 0;
}

static uintptr_t recover_bytecode_pointer(const ucontext_t *context)
{
    return context->uc_mcontext.regs[22];
}
#else
#error "registers of this architecture are not known"
#endif

enum { GUESS_EDGE = -1 };

/* recover_guess_caller(), or edge_find_caller(); a register that points nowhere is not a guess. */
static bool recover_try_guess(int guess, const struct recover_registers *now, struct recover_registers *caller)
{
    sigjmp_buf jump;
    if (sigsetjmp(jump, 0)) {
        guard_caught();
        return false;
    }
    guard_jump = &jump;
    bool good = guess == GUESS_EDGE ? edge_find_caller(now, caller) : recover_guess_caller(guess, now, caller);
    good = good && codemap_is_generated(codemap_kind(caller->pc));
    guard_jump = NULL;
    return good;
}

uintptr_t recover_pc(const void *ucontext)
{
    return recover_read_registers(ucontext).pc;
}

void recover_set_bytecode_index(const void *ucontext, struct trace_raw_frame *top)
{
    int64_t bci = top->code >= PSEUDO_COUNT && top->position >= 0
                      ? blob_bytecode(top->code, recover_bytecode_pointer(ucontext))
                      : -1;
    if (bci >= 0)
        top->position = bci;
}

bool recover_is_leaving(const void *ucontext, enum code_kind kind)
{
    sigjmp_buf jump;
    if (kind != CODE_COMPILED)
        return false;
    if (sigsetjmp(jump, 0)) {
        guard_caught();
        return false;
    }
    guard_jump = &jump;
    bool leaving = edge_is_leaving(recover_pc(ucontext));
    guard_jump = NULL;
    return leaving;
}

/* In generated code without a complete frame: walks from the caller on. */
static struct recover_result recover_walk_from_caller(JNIEnv *env, void *ucontext, enum code_kind kind,
                                                      struct trace_raw_frame *frames, size_t max)
{
    struct recover_registers now = recover_read_registers(ucontext), caller;
    struct recover_result result = {0};
    struct trace_raw_frame top;
    /* What runs above the caller. A stub works for the method that called it; a method is different from its caller. */
    if (blob_method(now.pc, &result.leaf)) {
        /* A method that is being entered has no bytecode yet, one that is being left has that of its return. */
        if (recover_is_leaving(ucontext, kind) && call_trace_top(env, ucontext, &top) && top.code == result.leaf.code)
            result.leaf.position = top.position;
    } else if (kind == CODE_INTERPRETER && !blob_method_at(recover_entered_method(ucontext), &result.leaf)) {
        result.leaf.code = PSEUDO_ENTRY;
    }
    int guesses = result.leaf.code ? GUESSES_METHOD : GUESSES_STUB; /* a method does not push words like a stub */
    for (int guess = GUESS_EDGE; guess < guesses && result.count <= 0; guess++) {
        if (!recover_try_guess(guess, &now, &caller))
            continue;
        ucontext_t copy = *(const ucontext_t *)ucontext;
        recover_write_registers(&copy, &caller);
        result.count = call_trace_walk(env, &copy, frames, max);
        if (guess == GUESS_EDGE) /* if the caller is known there is nothing to guess */
            break;
    }
    return result;
}

/* ------------------------------------------------------------------------- a thread inside the JVM -- */

/* The last Java frame of a thread, as noted by the thread before it left Java. */
struct recover_anchor {
    uintptr_t sp, pc, fp;
};

static struct {
    long anchor, sp, pc, fp, state;
    atomic_bool known;
} recover_layout;

void recover_init(void)
{
    recover_layout.anchor = vmstructs_offset("JavaThread", "_anchor");
    recover_layout.state = vmstructs_offset("JavaThread", "_thread_state");
    recover_layout.sp = vmstructs_offset("JavaFrameAnchor", "_last_Java_sp");
    recover_layout.pc = vmstructs_offset("JavaFrameAnchor", "_last_Java_pc");
    recover_layout.fp = vmstructs_offset("JavaFrameAnchor", "_last_Java_fp");
    atomic_store(&recover_layout.known, recover_layout.anchor >= 0 && recover_layout.state >= 0 &&
                                            recover_layout.sp >= 0 && recover_layout.pc >= 0 && recover_layout.fp >= 0);
}

static uintptr_t *recover_anchor_field(void *thread, long field)
{
    return (uintptr_t *)(void *)((char *)thread + recover_layout.anchor + field);
}

/* The order ensures that an interrupting handler sees either no frame or a complete one. */
static void recover_store_anchor(void *thread, const struct recover_anchor *anchor)
{
    volatile uintptr_t *sp = recover_anchor_field(thread, recover_layout.sp);
    *sp = 0;
    *(volatile uintptr_t *)recover_anchor_field(thread, recover_layout.fp) = anchor->fp;
    *(volatile uintptr_t *)recover_anchor_field(thread, recover_layout.pc) = anchor->pc;
    *sp = anchor->sp;
}

/*
 * HotSpot's states (globalDefinitions.hpp), where the odd ones are transitional. In states other than these four a
 * second thread may read the anchor meanwhile.
 */
enum { STATE_IN_VM = 6, STATE_IN_JAVA = 8, STATE_IN_JAVA_TRANS = 9 };

/*
 * An anchor may lack its program counter, which is then the return address below the stack pointer; and it may be in a
 * stub that AsyncGetCallTrace refuses to pass: the stub's caller will do.
 */
static bool recover_complete_anchor(struct recover_anchor *anchor)
{
    sigjmp_buf jump;
    if (anchor->sp == 0 || anchor->sp % sizeof(uintptr_t))
        return false;
    if (sigsetjmp(jump, 0)) {
        guard_caught();
        return false;
    }
    guard_jump = &jump;
    if (!anchor->pc)
        anchor->pc = ((const uintptr_t *)anchor->sp)[-1]; /* NOLINT: an address on this thread's stack */
    size_t bytes = blob_stub_frame(anchor->pc);
    if (bytes) {
        const uintptr_t *end = (const uintptr_t *)(anchor->sp + bytes); /* NOLINT: likewise */
        *anchor = (struct recover_anchor){anchor->sp + bytes, end[-1], end[-2]};
    }
    guard_jump = NULL;
    return codemap_is_generated(codemap_kind(anchor->pc));
}

/* During the call the thread's anchor is the completed one; HotSpot itself completes it likewise. */
static struct recover_result recover_walk_from_anchor(JNIEnv *env, void *thread, void *ucontext,
                                                      struct trace_raw_frame *frames, size_t max)
{
    struct recover_result result = {0};
    if (!atomic_load(&recover_layout.known))
        return result;
    const struct recover_anchor real = {*recover_anchor_field(thread, recover_layout.sp),
                                        *recover_anchor_field(thread, recover_layout.pc),
                                        *recover_anchor_field(thread, recover_layout.fp)};
    struct recover_anchor whole = real;
    int state = *(const int *)(const void *)((const char *)thread + recover_layout.state);
    result.no_java = real.sp == 0 && state != STATE_IN_JAVA && state != STATE_IN_JAVA_TRANS;
    if (state < STATE_IN_VM || state > STATE_IN_JAVA_TRANS || !recover_complete_anchor(&whole))
        return result;
    recover_store_anchor(thread, &whole);
    result.count = call_trace_walk(env, ucontext, frames, max);
    recover_store_anchor(thread, &real);
    return result;
}

struct recover_result recover_walk(int code, JNIEnv *env, void *thread, void *ucontext, struct trace_raw_frame *frames,
                                   size_t max)
{
    enum code_kind kind = codemap_kind(recover_pc(ucontext));
    bool java = code == WALK_UNKNOWN_JAVA || code == WALK_NOT_WALKABLE_JAVA;
    if ((java || code == 0) && codemap_is_generated(kind))
        return recover_walk_from_caller(env, ucontext, kind, frames, max);
    if (java || code == WALK_UNKNOWN_NOT_JAVA || code == WALK_NOT_WALKABLE_NOT_JAVA)
        return recover_walk_from_anchor(env, thread, ucontext, frames, max);
    return (struct recover_result){0};
}
