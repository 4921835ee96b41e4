/* Asks for the processor's tiles (AMX), which the kernel refuses while a thread has an alternate stack that is too
 * small for them, and computes with them between ticks.
 * flags: -mamx-tile -mamx-int8
 * needs: grep -q amx_int8 /proc/cpuinfo
 * modes: cpu methods watch calls */
#define _GNU_SOURCE
#include <errno.h>
#include <immintrin.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

static int wrong;

static void *work(void *nothing)
{
    struct {
        unsigned char palette, start, reserved[14];
        unsigned short columns[16];
        unsigned char rows[16];
    } config = {.palette = 1};
    static char ones[1024] __attribute__((aligned(64)));
    static int sums[256] __attribute__((aligned(64)));
    memset(ones, 1, sizeof ones);
    for (int i = 0; i < 3; i++) {
        config.columns[i] = 64;
        config.rows[i] = 16;
    }
    _tile_loadconfig(&config);
    for (double end = burn_cpu() + 0.2; burn_cpu() < end;) {
        _tile_zero(0);
        _tile_loadd(1, ones, 64);
        _tile_loadd(2, ones, 64);
        for (int i = 0; i < 2000; i++)
            _tile_dpbssd(0, 1, 2);
        _tile_stored(0, sums, 64);
        for (int i = 0; i < 256; i++)
            wrong += sums[i] != 2000 * 64;
    }
    _tile_release();
    return nothing;
}

int main(void)
{
    pthread_t thread;
    burn(0.03);
    if (syscall(SYS_arch_prctl, 0x1023, 18) != 0) {
        printf("refused: %s\n", strerror(errno));
        return 1;
    }
    work(NULL);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    printf("wrong %d\n", wrong);
    return 0;
}
