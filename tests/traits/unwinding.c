/* pthread_exit and cancellation out of deep calls, whose frames have something to clean up: the unwinder must find its
 * way through every frame, from a return address to the next.
 * flags: -fexceptions */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unwind.h>

#include "burn.h"

static int cleaned, expected;

static void clean(int *depth)
{
    cleaned++;
    expected += *depth == cleaned - 1;
}

static _Unwind_Reason_Code count(struct _Unwind_Context *context, void *frames)
{
    (void)context;
    ++*(int *)frames;
    return _URC_NO_REASON;
}

__attribute__((noinline)) static int descend(int depth, int most)
{
    __attribute__((cleanup(clean))) int own = depth;
    burn_rounds(200000);
    if (depth == 0) {
        int frames = 0;
        _Unwind_Backtrace(count, &frames);
        if (most == 30)
            printf("all frames: %d\n", frames > most && frames < most + 8);
        pthread_exit((void *)(long)most);
    }
    return descend(depth - 1, most) + own;
}

static void *work(void *most)
{
    descend((int)(long)most, (int)(long)most);
    return NULL;
}

int main(void)
{
    for (long most = 10; most <= 60; most += 10) {
        pthread_t thread;
        void *result = NULL;
        cleaned = expected = 0;
        pthread_create(&thread, NULL, work, (void *)most);
        pthread_join(thread, &result);
        printf("result %ld, cleaned %d, in order %d\n", (long)result, cleaned, expected);
    }
    return 0;
}
