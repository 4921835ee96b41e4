/* Return addresses that stubs stand in for: what happens at a return, and what unwinders see. */
#include "collect/calls/calls.h"

#include <string.h>
#include <sys/mman.h>
#include <unwind.h>

#include "tests/tap.h"

enum { TRAP_FLAG = 0x100, STACK_BYTES = 1 << 18, MANY = 20000 };
static char handler_stack[STACK_BYTES];
static unsigned arrived, steps;
static uint64_t stub_of;
static bool step_on_return;
static unsigned float_state;

static void returned(void *ucontext, uint64_t slot)
{
    greg_t *registers = ((ucontext_t *)ucontext)->uc_mcontext.gregs;
    const char *here = (const char *)&registers;
    arrived += here >= handler_stack && here < handler_stack + STACK_BYTES;
    (void)slot;
    if (step_on_return)
        registers[REG_EFL] |= TRAP_FLAG;
    __asm__("stmxcsr %0" : "=m"(float_state));
    volatile double disturb = 1.5; /* its registers are not the program's */
    __asm__ volatile("pxor %%xmm0, %%xmm0\n pxor %%xmm9, %%xmm9\n mov $-1, %%r10\n mov $-1, %%r11" ::
                         : "r10", "r11", "xmm0", "xmm9");
    (void)disturb;
}

static const struct stub_thread *listen(void)
{
    static struct stub_thread thread;
    thread = (struct stub_thread){(uint64_t)(uintptr_t)handler_stack, (uint64_t)(uintptr_t)handler_stack + STACK_BYTES,
                                  returned};
    stubs_listen(&thread);
    return &thread;
}

static void on_step(int signal, siginfo_t *info, void *ucontext)
{
    (void)signal;
    steps += info->si_code == TRAP_TRACE;
    ((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
}

#define PLACE ((uint64_t)(uintptr_t)__builtin_frame_address(0) + sizeof(uint64_t))
#define FUNCTION __attribute__((noinline, noclone, optimize("no-optimize-sibling-calls")))

FUNCTION static int put_here(void)
{
    stub_of = stubs_put(PLACE, *(uint64_t *)PLACE);
    return 7;
}

FUNCTION static uint64_t put_as_it_is(uint64_t slot)
{
    return stubs_put(slot, *(uint64_t *)slot); /* NOLINT */
}

/* Registers that a function that the compiler knows would leave alone. */
FUNCTION static bool keeps_registers(void)
{
    uint64_t r8 = 0, r9 = 0, r10 = 0, r11 = 0, flags = 0;
    double xmm[2] = {0, 0};
    __asm__ volatile(
        "sub $128, %%rsp\n"
        "mov $8, %%r8\n mov $9, %%r9\n mov $10, %%r10\n mov $11, %%r11\n"
        "mov $3, %%eax\n cvtsi2sd %%eax, %%xmm0\n mov $5, %%eax\n cvtsi2sd %%eax, %%xmm9\n"
        "lea 2f(%%rip), %%rax\n push %%rax\n"
        "mov %%rsp, %%rdi\n push %%r8\n push %%r9\n push %%r10\n push %%r11\n"
        "sub $32, %%rsp\n movsd %%xmm0, (%%rsp)\n movsd %%xmm9, 8(%%rsp)\n"
        "mov %%rsp, %%rbx\n and $-16, %%rsp\n call *%7\n mov %%rbx, %%rsp\n"
        "movsd (%%rsp), %%xmm0\n movsd 8(%%rsp), %%xmm9\n add $32, %%rsp\n"
        "pop %%r11\n pop %%r10\n pop %%r9\n pop %%r8\n"
        "stc\n ret\n"
        "2: pushfq\n pop %4\n add $128, %%rsp\n"
        "mov %%r8, %0\n mov %%r9, %1\n mov %%r10, %2\n mov %%r11, %3\n movsd %%xmm0, %5\n movsd %%xmm9, %6\n"
        : "=m"(r8), "=m"(r9), "=m"(r10), "=m"(r11), "=r"(flags), "=m"(xmm[0]), "=m"(xmm[1])
        : "r"(put_as_it_is)
        : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0", "xmm9", "memory", "cc");
    return r8 == 8 && r9 == 9 && r10 == 10 && r11 == 11 && xmm[0] == 3 && xmm[1] == 5 && flags & 1;
}

static void test_returns(void)
{
    unsigned before;
    ok(stubs_possible(), "stubs are possible");
    stubs_listen(NULL);
    is_u64((uint64_t)put_here(), 7, "nobody listens: the function returns");
    listen();
    before = arrived;
    is_u64((uint64_t)put_here(), 7, "a listener: the function returns");
    is_u64(arrived - before, 1, "  which the listener has heard on its stack");
    stubs_report(false);
    before = arrived;
    is_u64((uint64_t)put_here(), 7, "told no more: the function returns");
    is_u64(stub_of, 0, "  without a stub");
    stubs_report(true);
    const unsigned traps_inexact = 0x1f80 & ~0x1000U;
    unsigned after = 0;
    __asm__ volatile("ldmxcsr %0" ::"m"(traps_inexact));
    put_here();
    __asm__ volatile("stmxcsr %0\n ldmxcsr %1" : "=m"(after) : "m"((const unsigned){0x1f80}));
    is_u64(float_state, 0x1f80, "where the program traps inexact results, the listener does not");
    is_u64(after, traps_inexact, "  and the program goes on to");
    ok(keeps_registers(), "all registers and flags are as before");
    struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    step_on_return = true;
    is_u64((uint64_t)put_here(), 7, "with the trap flag: the function returns");
    step_on_return = false;
    is_u64(steps, 1, "  and is stepped from there on");
}

FUNCTION static bool put_and_take(void)
{
    uint64_t slot = PLACE, real = *(uint64_t *)slot, stub = stubs_put(slot, *(uint64_t *)slot);             /* NOLINT */
    bool good = stubs_is(stub) && !stubs_is(real) && *(uint64_t *)slot == stub && stubs_real(stub) == real; /* NOLINT */
    return good && stubs_take(slot, stub) && *(uint64_t *)slot == real;                                     /* NOLINT */
}

static void test_table(void)
{
    unsigned before = arrived, good = 0;
    for (unsigned i = 0; i < MANY; i++)
        good += put_and_take();
    is_u64(good, MANY, "a stub is put and taken back, more often than there are stubs");
    is_u64(arrived, before, "  and nothing arrives then");
    for (unsigned i = 0; i < MANY; i++)
        put_here();
    is_u64(arrived - before, MANY, "as often a function returns through one");
    uint64_t *gone = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *gone = 1;
    uint64_t stub = stubs_put((uint64_t)(uintptr_t)gone, 1);
    munmap(gone, 4096);
    is_u64(stubs_put((uint64_t)(uintptr_t)gone, 1), 0, "none is put on a stack that is gone");
    ok(!stubs_take((uint64_t)(uintptr_t)gone, stub), "  and a stack that is gone loses its stub");
    is_u64(stubs_real(stub), 1, "  which still knows its address");
    uint64_t word = 5;
    unsigned lost = 0;
    is_u64(stubs_put((uint64_t)(uintptr_t)&word, 6), 0, "none is put where another word is");
    is_u64(word, 5, "  which stays");
    for (unsigned i = 0; i < MANY && (stub = stubs_put((uint64_t)(uintptr_t)&word, 5)) != 0; i++) {
        word = 5; /* a frame that has been left */
        lost += !stubs_take((uint64_t)(uintptr_t)&word, stub);
    }
    is_u64(stub, 0, "those that were lost are not used again");
    ok(lost > STUBS / 2 && lost < STUBS && word == 5, "  and some are always left (%u lost)", lost);
}

/* ------------------------------------------------------------------------------------------ under way -- */

static struct {
    uint64_t slot, real;
    unsigned found, put;
    bool stayed;
} way;

/* A signal that comes while a stub is at work, before that blocks signals. */
static void on_way(int signal, siginfo_t *info, void *ucontext)
{
    greg_t *registers = ((ucontext_t *)ucontext)->uc_mcontext.gregs;
    (void)signal;
    (void)info;
    if (!stubs_run((uint64_t)registers[REG_RIP]))
        return;
    if (way.found++ == 0) /* at the call of what all stubs share: the slot is free */
        return;
    registers[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    uint64_t before = *(uint64_t *)way.slot; /* NOLINT */
    way.put += stubs_put(way.slot, way.real) != 0;
    way.stayed = *(uint64_t *)way.slot == before; /* NOLINT */
}

FUNCTION static int return_stepped(void)
{
    way.slot = PLACE;
    way.real = *(uint64_t *)PLACE;
    stub_of = stubs_put(way.slot, way.real);
    __asm__ volatile("pushfq\n orq $0x100, (%%rsp)\n popfq" ::: "cc", "memory");
    return 9;
}

static void test_under_way(void)
{
    struct sigaction action = {.sa_sigaction = on_way, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    is_u64((uint64_t)return_stepped(), 9, "a signal interrupts a stub: the function returns");
    is_u64(way.found, 2, "  which was found at work");
    is_u64(way.put, 0, "  and no other stub takes the place meanwhile");
    ok(way.stayed, "  whose word stays");
}

/* ------------------------------------------------------------------------------------------ unwinders -- */

struct trail {
    uint64_t addresses[32];
    unsigned count;
};

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *user)
{
    struct trail *trail = user;
    uint64_t address = _Unwind_GetIP(context);
    if (trail->count < 32 && !stubs_is(address))
        trail->addresses[trail->count++] = address;
    return _URC_NO_REASON;
}

FUNCTION static unsigned walk(struct trail *trail, bool stubbed)
{
    uint64_t slot = PLACE, stub = stubbed ? stubs_put(slot, *(uint64_t *)slot) : 0; /* NOLINT */
    trail->count = 0;
    _Unwind_Backtrace(visit, trail);
    if (stub != 0)
        stubs_take(slot, stub);
    return trail->count;
}

static void test_unwinder(void)
{
    struct trail trail[2];
    for (volatile int stubbed = 0; stubbed < 2; stubbed++) /* not unrolled */
        walk(&trail[stubbed], stubbed);
    is_u64(trail[1].count, trail[0].count, "an unwinder finds as many callers beyond a stub");
    unsigned same = 0;
    for (unsigned i = 2; i < trail[0].count; i++)
        same += trail[0].addresses[i] == trail[1].addresses[i];
    is_u64(same, trail[0].count - 2, "  the same");
    is_u64(trail[0].addresses[1] - trail[1].addresses[1], 1, "  and the caller by its call");
}

int main(void)
{
    test_returns();
    test_under_way();
    test_unwinder();
    test_table();
    return done_testing();
}
