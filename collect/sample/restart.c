#include "collect/sample/restart.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "base/system_call.h"

enum { CALL_BYTES = 2, NUMBER_BYTES = 5, PAGE = 4096 };

/* The number of the call that ended before this place, if the code sets it directly before; else −1. The kernel does
 * not keep it for handlers. */
static long number_of_call(const uint8_t *next)
{
    static const uint8_t CALL[CALL_BYTES] = {0x0f, 0x05}, SET_EAX = 0xb8;
    const uint8_t *set = next - CALL_BYTES - NUMBER_BYTES;
    int32_t number;
    if (((uintptr_t)next & (PAGE - 1)) < CALL_BYTES + NUMBER_BYTES) /* there may be nothing before the page */
        return -1;
    if (memcmp(next - CALL_BYTES, CALL, CALL_BYTES) != 0 || *set != SET_EAX)
        return -1;
    memcpy(&number, set + 1, sizeof number);
    return number;
}

/* These may have had an effect. */
static bool may_be_made_again(long number)
{
    return number >= 0 && number != SYS_close && number != SYS_connect;
}

/* Another signal waits for this handler to end: then the call may have failed because of that one. */
static bool is_alone(const ucontext_t *context)
{
    unsigned long pending = 0, mask;
    memcpy(&mask, &context->uc_sigmask, sizeof mask);
    return system_call(SYS_rt_sigpending, (long)&pending, sizeof pending, 0, 0, 0, 0) == 0 && (pending & ~mask) == 0;
}

void restart_call(void *ucontext)
{
    ucontext_t *context = ucontext;
    greg_t *registers = context->uc_mcontext.gregs;
    if (registers[REG_RAX] != -EINTR)
        return;
    /* A call leaves the address of what follows in RCX. */
    if (registers[REG_RCX] != registers[REG_RIP])
        return;
    long number = number_of_call((const uint8_t *)(uintptr_t)registers[REG_RIP]);
    if (!may_be_made_again(number) || !is_alone(context))
        return;
    registers[REG_RAX] = number;
    registers[REG_RIP] -= CALL_BYTES;
}
