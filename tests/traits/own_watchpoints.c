/* The program's own watchpoints, four by perf_event_open in a burning thread, which are all that the processor has; it
 * counts the accesses. A recorder that watches memory needs the same ones.
 * needs: test "$(uname -m)" = x86_64 */
#define _GNU_SOURCE
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

static volatile long watched[4];

int main(void)
{
    int events[4];
    burn(0.02);
    for (int i = 0; i < 4; i++) {
        struct perf_event_attr attributes;
        memset(&attributes, 0, sizeof attributes);
        attributes.type = PERF_TYPE_BREAKPOINT;
        attributes.size = sizeof attributes;
        attributes.bp_type = HW_BREAKPOINT_W;
        attributes.bp_addr = (unsigned long)&watched[i];
        attributes.bp_len = HW_BREAKPOINT_LEN_8;
        attributes.exclude_kernel = 1;
        events[i] = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
    }
    for (int i = 0; i < 200; i++) {
        watched[i % 4] += i;
        burn_rounds(300000);
    }
    for (int i = 0; i < 4; i++) {
        long count = -1;
        if (events[i] >= 0)
            read(events[i], &count, sizeof count);
        printf("accesses %ld, value %ld\n", count, watched[i]);
    }
    return 0;
}
