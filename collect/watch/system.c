#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "collect/watch/watch.h"

/* ------------------------------------------------------------------------------------------ what it did -- */

/* The target of calls that often write what is already there (zeros over zeros), by their argument registers. */
struct output {
    int call, pointer;
    bool result;    /* as many bytes as the call returns; else: */
    unsigned bytes; /* these */
};

enum { STATUS_BYTES = 144 }; /* struct stat */
static const struct output outputs[] = {
    {SYS_read, REG_RSI, true, 0},
    {SYS_pread64, REG_RSI, true, 0},
    {SYS_recvfrom, REG_RSI, true, 0},
    {SYS_getdents64, REG_RSI, true, 0},
    {SYS_stat, REG_RSI, false, STATUS_BYTES},
    {SYS_fstat, REG_RSI, false, STATUS_BYTES},
    {SYS_lstat, REG_RSI, false, STATUS_BYTES},
    {SYS_newfstatat, REG_RDX, false, STATUS_BYTES},
};

/* The number of the call, from the instruction before it; -1 if unknown. */
static int system_call_number(uint64_t call)
{
    enum { MOVE = 5, CLEAR = 2 };
    const uint8_t *code = (const uint8_t *)call; /* NOLINT: code of the program */
    int number;
    if (call % 4096 < MOVE) /* memory before the page may be unmapped */
        return -1;
    if (code[-CLEAR] == 0x31 && code[1 - CLEAR] == 0xc0) /* xor %eax, %eax */
        return 0;
    if (code[-MOVE] != 0xb8) /* mov $number, %eax */
        return -1;
    memcpy(&number, code + 1 - MOVE, sizeof number);
    return number;
}

bool system_before(const void *ucontext, const struct watchpoint *point, struct touch *out)
{
    const greg_t *registers = ((const ucontext_t *)ucontext)->uc_mcontext.gregs;
    /* The kernel puts the address after the instruction in rcx; nothing else does. A restarted call is interrupted at
     * its instruction. */
    uint64_t pc = (uint64_t)registers[REG_RIP], behind = (uint64_t)registers[REG_RCX], call = behind - 2;
    const uint8_t *code = (const uint8_t *)call; /* NOLINT: code of the program */
    if ((pc != behind && pc != call) || code[0] != 0x0f || code[1] != 0x05)
        return false;
    *out = (struct touch){
        .code = call, .address = point->low, .bytes = point->window, .real = X86_REAL_NONE, .system = true};
    memcpy(out->text, code, 2);
    out->store = point->writes_only || memcmp(point->now, (const void *)point->low, point->window) != 0; /* NOLINT */
    int number = system_call_number(call);
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        if (outputs[i].call != number || registers[REG_RAX] < 0)
            continue;
        /* The call's target: the part of the window in it has been stored. */
        uint64_t low = (uint64_t)registers[outputs[i].pointer], end = out->address + out->bytes;
        uint64_t high = low + (outputs[i].result ? (uint64_t)registers[REG_RAX] : outputs[i].bytes);
        if (low < end && out->address < high) {
            out->store = true;
            if (out->address < low)
                out->address = low;
            out->bytes = (unsigned)((end < high ? end : high) - out->address);
        }
        break;
    }
    out->load = !out->store;
    return true;
}

/* ------------------------------------------------------------------------------------------ where it is not seen -- */

struct reserved_fd system_open_io(pid_t tid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/io", (int)tid);
    return reserved_fd_open(path, O_RDONLY);
}

uint64_t system_writes(const struct reserved_fd *io)
{
    static const char key[] = "syscw: ";
    char text[256] = "";
    uint64_t count = 0;
    if (io->fd < 0 || syscall(SYS_pread64, io->fd, text, sizeof text - 1, 0L) <= 0)
        return 0;
    const char *at = strstr(text, key);
    for (at = at ? at + sizeof key - 1 : ""; *at >= '0' && *at <= '9'; at++)
        count = 10 * count + (uint64_t)(*at - '0');
    return count;
}
