#include "collect/keep/keep.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/epoll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/signals.h"
#include "base/system_call.h"
#include "collect/keep/state.h"
#include "collect/sample/host.h"

_Static_assert(POOL_PROCESS_BYTES + sizeof(struct methods_tables) <= POOL_PAGE + sizeof(struct methods_ring) &&
                   sizeof(struct methods_ring) % POOL_PAGE == 0,
               "the tables of a process fit into an extent");

struct keep {
    struct pool pool;
    pid_t pid;
    char path[KEEP_PATH_MAX];
};

struct keeper keeper = {.lock = PTHREAD_MUTEX_INITIALIZER};

_Noreturn static void keep_run_writer(const struct pool *pool, const json_t *configuration, pid_t recorder)
{
    struct stat status;
    sigset_t none;

    keeper.pool = *pool;
    keeper.recorder = recorder;
    keeper.metadata = json_deep_copy(configuration);
    /* It must not keep anything open that somebody waits for the end of, nor get signals meant for the recorder. */
    setsid();
    int nothing = open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        dup2(nothing, fd);
    if (pool->fd > STDERR_FILENO + 1)
        close_range(STDERR_FILENO + 1, (unsigned)pool->fd - 1, 0);
    close_range((unsigned)pool->fd + 1, ~0U, 0);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a write beyond the limit fails, as on a full disk */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_NAME, "assay-writer");
    if (!sampler_configuration(configuration, &keeper.config) || !keeper.metadata)
        _exit(1);
    keeper.methods = methods_wanted(configuration);
    if (keeper.methods)
        time_prepare();
    keeper.ends = epoll_create1(EPOLL_CLOEXEC);
    if (stat("/proc/self/ns/pid", &status) == 0)
        keeper.namespace = status.st_ino;
    json_object_set_new(keeper.metadata, "collector", json_string("native"));
    json_object_set_new(keeper.metadata, "writer_pid", json_integer(getpid()));
    host_describe_machine(keeper.metadata);
    loop_run();
    _exit(0);
}

int keep_begin(const json_t *configuration, struct keep **out)
{
    struct keep *keep = calloc(1, sizeof *keep);
    if (!keep)
        return ENOMEM;
    assert(configuration && out);
    size_t ring_bytes = methods_wanted(configuration) ? sizeof(struct methods_ring) : POOL_RING_BYTES;
    int error = pool_create(&keep->pool, ring_bytes);
    if (error) {
        free(keep);
        return error;
    }
    pid_t recorder = getpid();
    keep->pid = fork();
    if (keep->pid == 0)
        keep_run_writer(&keep->pool, configuration, recorder);
    if (keep->pid < 0) {
        error = errno;
        pool_close(&keep->pool);
        free(keep);
        return error;
    }
    snprintf(keep->path, sizeof keep->path, "/proc/%d/fd/%d", (int)keep->pid, keep->pool.fd);
    *out = keep;
    return 0;
}

const char *keep_path(const struct keep *keep)
{
    return keep->path;
}

bool keep_end(struct keep *keep)
{
    static const struct timespec PATIENCE = {.tv_nsec = 100000000};
    struct pool_header *header = keep->pool.header;
    assert(keep->pid > 0);
    uint32_t wanted = atomic_fetch_add(&header->asked, 1) + 1, reply;
    atomic_store(&header->over, 1);
    atomic_store(&header->bell, 1);
    system_call(SYS_futex, (long)&header->bell, FUTEX_WAKE, 1, 0, 0, 0);
    /* Somebody who can reply is waited for. */
    while ((reply = atomic_load(&header->replied)) != wanted && waitpid(keep->pid, NULL, WNOHANG) == 0)
        system_call(SYS_futex, (long)&header->replied, FUTEX_WAIT, reply, (long)&PATIENCE, 0, 0);
    bool replied = atomic_load(&header->replied) == wanted;
    if (replied && atomic_load(&header->living) == 0)
        waitpid(keep->pid, NULL, 0);
    pool_close(&keep->pool);
    free(keep);
    return replied;
}
