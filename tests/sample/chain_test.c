/* A thread that may be cancelled at any time is not cancelled within a handler of the sampler's, but after it. */
#include "collect/sample/chain.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/tap.h"

static volatile bool came, finished, is_cancelled_late;

/* Another thread's pthread_cancel() sends this signal, which the C library takes even if cancellation was disabled
 * after the request. */
static void cancel_oneself(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info, (void)context;
    came = true;
    syscall(SYS_tgkill, getpid(), gettid(), __SIGRTMIN);
    finished = true;
}

static void *work(void *is_handling)
{
    const struct timespec long_enough = {10, 0};
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    if (is_handling) {
        raise(SIGUSR1);
        is_cancelled_late = true; /* unless it ends when the handler returns */
    }
    nanosleep(&long_enough, NULL);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    void *result = NULL;
    /* The C library takes its signal from its first cancellation on. */
    pthread_create(&thread, NULL, work, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    ok(result == PTHREAD_CANCELED, "a thread is cancelled");
    ok(chain_install(SIGUSR1, 0, cancel_oneself) == 0, "a handler is installed");
    pthread_create(&thread, NULL, work, "handling");
    pthread_join(thread, &result);
    ok(came && finished, "a cancellation that comes while the handler runs does not end it");
    ok(result == PTHREAD_CANCELED && !is_cancelled_late, "  but the thread when it returns");
    return done_testing();
}
