#include <errno.h>

#include "base/copy_readable.h"
#include "collect/calls/calls.h"
#include "collect/x86/x86.h"

enum { TRAP_FLAG = 0x100, PAGE = 4096 };

static greg_t *single_step_flags(void *ucontext)
{
    return &((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_EFL];
}

/* In how many contexts of the thread this has set the flag: a signal handler of the program suspends one. It outlives
 * what chooses calls in the thread. */
static _Thread_local unsigned given __attribute__((tls_model("initial-exec")));

bool single_step_take_flag(void *ucontext)
{
    if (given == 0 || !(*single_step_flags(ucontext) & TRAP_FLAG))
        return false;
    *single_step_flags(ucontext) &= ~(greg_t)TRAP_FLAG;
    given--;
    return true;
}

void single_step_give_flag(const struct calls *calls, void *ucontext)
{
    if (!calls->step.on)
        return;
    *single_step_flags(ucontext) |= TRAP_FLAG;
    given++;
}

void single_step_stop(struct calls *calls)
{
    calls->step.on = false;
}

/* How many traps of a step fit into a window. */
static unsigned single_step_most_steps(const struct calls *calls)
{
    enum { LEAST = 64, MOST = 2000 };
    uint64_t cost = calls->meter.cost[METER_TRAP].whole[METER_CPU], steps = cost > 0 ? CALLS_STEPPED_NS / cost : LEAST;
    return steps < LEAST ? LEAST : steps > MOST ? MOST : (unsigned)steps;
}

/* Looks at the next instruction. A return needs no step, since a stub waits for it. */
static void single_step_look_ahead(struct calls *calls, const void *ucontext)
{
    struct call_step *step = &calls->step;
    struct x86_instruction instruction;
    uint8_t code[X86_LENGTH_MAX];
    uint64_t at = calls_pc(ucontext), rest = PAGE - at % PAGE;
    size_t count = rest < sizeof code ? rest : sizeof code; /* of memory that is there: an instruction may cross */
    if (copy_readable(code, at, sizeof code))
        count = sizeof code;
    else if (!copy_readable(code, at, count))
        count = 0;
    step->on = step->left > 0 && x86_decode(code, count, at, &instruction) > 0 && instruction.flow != X86_RETURN &&
               x86_may_step(code, instruction.length);
    if (!step->on)
        return;
    step->left--;
    step->call = instruction.flow == X86_CALL || instruction.flow == X86_CALL_INDIRECT;
    step->code = at;
    step->stack = calls_sp(ucontext);
    step->back = at + instruction.length;
}

void single_step_to_call(struct calls *calls, void *ucontext)
{
    unsigned most = single_step_most_steps(calls) / 4;
    calls->step.on = false;
    calls->step.left = most < CALLS_STEPS ? most : CALLS_STEPS;
    bool blocked = sigismember(&((ucontext_t *)ucontext)->uc_sigmask, SIGTRAP) == 1;
    if (blocked || *single_step_flags(ucontext) & TRAP_FLAG || !calls_host.traps())
        return;
    single_step_look_ahead(calls, ucontext);
}

void single_step_on(struct calls *calls, void *ucontext)
{
    const struct call_step *step = &calls->step;
    uint64_t stack = calls_sp(ucontext);
    if (!step->on)
        return;
    if (stubs_run(calls_pc(ucontext)))
        single_step_stop(calls);
    else if (++calls->search.steps >= single_step_most_steps(calls))
        search_give_up(calls);
    else if (step->call && stack == step->stack - sizeof stack && wait_address(stack) == step->back)
        search_on_call(calls, ucontext);
    else
        single_step_look_ahead(calls, ucontext);
}

static volatile sig_atomic_t tried;

static void single_step_end_try(int signal, siginfo_t *info, void *ucontext)
{
    (void)signal;
    tried = info->si_code == TRAP_TRACE;
    *single_step_flags(ucontext) &= ~(greg_t)TRAP_FLAG;
}

int single_step_try(void)
{
    struct sigaction action = {.sa_sigaction = single_step_end_try, .sa_flags = SA_SIGINFO}, before;
    tried = 0;
    if (sigaction(SIGTRAP, &action, &before) != 0)
        return errno;
    __asm__ volatile("pushfq\n orq $0x100, (%%rsp)\n popfq\n nop\n"
                     "pushfq\n andq $~0x100, (%%rsp)\n popfq\n" ::
                         : "cc", "memory");
    sigaction(SIGTRAP, &before, NULL);
    return tried ? 0 : EIO;
}
