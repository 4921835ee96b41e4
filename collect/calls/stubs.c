#include "collect/calls/stubs.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "base/copy_readable.h"
#include "base/system_call.h"

/* The stubs, which are as large as the entries of their table. */
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

_Static_assert(sizeof *stubs_table == STUB_BYTES && sizeof(_Atomic uint8_t) == 1, "the code below");
_Static_assert(offsetof(struct stub_thread, low) == 0 && offsetof(struct stub_thread, high) == 8, "the code below");
_Static_assert(REG_R8 == 0 && REG_RCX == 14 && SYS_rt_sigprocmask == 14, "the code below");

/*
 * A stub calls the code that all share, so that its own address is in the slot again: the return address of that call,
 * less what an aligned stub has. Below it are the flags and the registers, in the order of ucontext_t.
 */
#define EACH_REGISTER(DO)                                                                                              \
    DO("0", "r8")                                                                                                      \
    DO("8", "r9")                                                                                                      \
    DO("16", "r10")                                                                                                    \
    DO("24", "r11")                                                                                                    \
    DO("32", "r12")                                                                                                    \
    DO("40", "r13")                                                                                                    \
    DO("48", "r14")                                                                                                    \
    DO("56", "r15")                                                                                                    \
    DO("64", "rdi") DO("72", "rsi") DO("80", "rbp") DO("88", "rbx") DO("96", "rdx") DO("104", "rax") DO("112", "rcx")
#define STORE(at, name) "mov %" name ", " at "(%rsp)\n"
#define LOAD(at, name) "mov " at "(%rsp), %" name "\n"

__asm__(".pushsection .text\n"
        ".hidden assay_stubs, assay_stubs_end\n"
        ".globl assay_stubs, assay_stubs_end\n"
        ".balign 16\n nop\n .balign 16\n"
        ".type assay_stubs, @function\n"
        "assay_stubs: .rept 8192\n call assay_stub_return\n .byte 0x06, 0x0e, 0x16\n .endr\n"
        ".size assay_stubs, . - assay_stubs\n"
        ".type assay_stub_return, @function\n"
        "assay_stub_return:\n"
        "pushfq\n"
        "21: lea -120(%rsp), %rsp\n"
        "22:" EACH_REGISTER(
            STORE) "mov %rsp, %rbp\n"
                   "23: cld\n"
                   "cmpb $0, stubs_over(%rip)\n jne 1f\n"
                   "mov stubs_thread@gottpoff(%rip), %rcx\n mov %fs:(%rcx), %rcx\n"
                   "test %rcx, %rcx\n jnz 2f\n"
                   /* Nobody listens. */
                   "1: mov 128(%rbp), %rax\n and $-8, %rax\n lea assay_stubs(%rip), %rdx\n sub %rdx, %rax\n"
                   "lea stubs_table(%rip), %rdx\n mov (%rdx,%rax), %rax\n mov %rax, 128(%rbp)\n jmp 4f\n"
                   /* Blocks all signals, and changes to the stack of the thread's handlers, unless it works there
                      already. */
                   "2: sub $16, %rsp\n"
                   "mov $14, %eax\n mov $2, %edi\n lea stubs_all_signals(%rip), %rsi\n mov %rsp, %rdx\n mov $8, "
                   "%r10d\n syscall\n"
                   "mov %rsp, %r12\n"
                   "mov stubs_thread@gottpoff(%rip), %rcx\n mov %fs:(%rcx), %rcx\n"
                   "cmp (%rcx), %rsp\n jb 3f\n cmp 8(%rcx), %rsp\n jbe 5f\n"
                   "3: mov 8(%rcx), %rsp\n"
                   "5: sub $2816, %rsp\n and $-64, %rsp\n xor %eax, %eax\n"
                   "mov %rax, 512(%rsp)\n mov %rax, 520(%rsp)\n mov %rax, 528(%rsp)\n mov %rax, 536(%rsp)\n"
                   "mov %rax, 544(%rsp)\n mov %rax, 552(%rsp)\n mov %rax, 560(%rsp)\n mov %rax, 568(%rsp)\n"
                   "mov $0xe7, %eax\n xor %edx, %edx\n xsave64 (%rsp)\n"
                   "fninit\n ldmxcsr stubs_float_state(%rip)\n" /* the program may trap on inexact results */
                   "mov %rbp, %rdi\n mov (%r12), %rsi\n call stubs_arrive\n"
                   "24: mov $0xe7, %eax\n xor %edx, %edx\n xrstor64 (%rsp)\n"
                   "mov %r12, %rsp\n"
                   "mov $14, %eax\n mov $2, %edi\n mov %rsp, %rsi\n xor %edx, %edx\n mov $8, %r10d\n syscall\n"
                   "4: mov %rbp, %rsp\n"
                   "25:" EACH_REGISTER(LOAD) "lea 120(%rsp), %rsp\n"
                                             "26: popfq\n"
                                             "27: ret\n"
                                             "28: .size assay_stub_return, . - assay_stub_return\n"
                                             "assay_stubs_end:\n"
                                             ".popsection\n");

/*
 * What unwinders find at a stub: a frame without a size, whose return address is the entry of the table that belongs to
 * the stub in its slot, or what is in its slot by now if that is not a stub any more. A stub is known by its code,
 * whose last three bytes are of instructions that do not exist. The distance of the two tables follows from that of
 * each to its location here, which are six bytes apart. The frame is marked as that of a signal handler, since libgcc
 * could not distinguish it from the caller's otherwise: both end at the same location. The address of code that a
 * signal has interrupted is taken as it is, so it is the one before the return address, which is in the call.
 */
#define REAL_ADDRESS(MORE)                                                                                             \
    ".byte 0x16, 16\n .uleb128 19f - 18f\n"      /* the address is the value of: */                                    \
    "18: .byte 0x38, 0x1c, 0x06\n"               /* lit8 minus deref: what is at CFA - 8 */                            \
    ".byte 0x12, 0x09, 0xf8, 0x1a, 0x12, 0x06\n" /* dup const1s -8 and dup deref: of a stub, the stub, and its code */ \
    ".byte 0x0e\n .quad 0xffffff00000000ff\n .byte 0x1a\n" /* const8u and */                                           \
    ".byte 0x0e\n .quad 0x160e0600000000e8\n .byte 0x29\n" /* const8u eq */                                            \
    ".byte 0x28\n .short 51f - 50f\n"                      /* bra: it is one */                                        \
    "50: .byte 0x13, 0x2f\n .short 53f - 51f\n"            /* drop skip: what is there */                              \
    "51: .byte 0x0d\n .long stubs_table - .\n .byte 0x22\n"                                                            \
    ".byte 0x0d\n .long assay_stubs - .\n .byte 0x1c\n"                                                                \
    ".byte 0x36, 0x1c, 0x06, 0x16, 0x13\n" /* lit6 minus deref swap drop */                                            \
    "53:" MORE "19:\n"

__asm__(".pushsection .eh_frame, \"a\", @progbits\n"
        "10: .long 12f - 11f\n"
        "11: .long 0\n .byte 1\n .string \"zRS\"\n .uleb128 1\n .sleb128 -8\n .byte 16\n .uleb128 1\n .byte 0x1b\n"
        ".byte 0x0c, 7, 0\n .balign 8\n"
        "12: .long 14f - 13f\n"
        "13: .long 13b - 10b\n .long assay_stubs - 1 - .\n .long 8192 * 8 + 1\n .uleb128 0\n" REAL_ADDRESS(
            ".byte 0x31, 0x1c\n") /* lit1 minus */
        ".balign 8\n"
        "14: .long 16f - 15f\n" /* a frame that is left as a signal's: the caller has not called it */
        "15: .long 0\n .byte 1\n .string \"zRS\"\n .uleb128 1\n .sleb128 -8\n .byte 16\n .uleb128 1\n .byte 0x1b\n"
        ".byte 0x0c, 7, 8\n .balign 8\n"
        "16: .long 30f - 17f\n"
        "17: .long 17b - 14b\n .long assay_stub_return - .\n .long 28b - assay_stub_return\n .uleb128 0\n" REAL_ADDRESS(
            "\n") ".byte 0x40 + (21b - assay_stub_return), 0x0e, 16\n" /* advance; CFA = %rsp + 16 */
                  ".byte 0x40 + (22b - 21b), 0x0e\n .uleb128 136\n"
                  ".byte 0x02, 23b - 22b, 0x0c, 6\n .uleb128 136\n"                  /* CFA = %rbp + 136 */
                  ".byte 0x83, 6, 0x86, 7, 0x8c, 13, 0x8d, 12, 0x8e, 11, 0x8f, 10\n" /* where %rbx, %rbp, %r12 to %r15
                                                                                        are */
                  ".byte 0x03\n .short 24b - 23b\n .byte 0x90, 1\n" /* the real address is in the slot */
                  ".byte 0x02, 25b - 24b, 0x0c, 7\n .uleb128 136\n"
                  ".byte 0x02, 26b - 25b, 0xc3, 0xc6, 0xcc, 0xcd, 0xce, 0xcf, 0x0e, 16\n" /* as at first */
                  ".byte 0x40 + (27b - 26b), 0x0e, 8\n"
                  ".balign 8\n"
                  "30: .popsection\n");

/* What the code above has saved. */
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
