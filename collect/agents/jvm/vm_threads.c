/*
 * vm_threads.c - the JVM's own threads in mode methods: collectors, compilers, others, and those of finalization. The
 * trace gets their CPU time since the JVM was live; if finalizers enter methods, a separate stream has the events. A
 * thread that ends has the CPU time from at most LOOK_NS before.
 */
#include "collect/agents/jvm/agent.h"

#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "collect/sample/task.h"

enum { KNOWN = 4096, SURE = 2 };
static const uint64_t LOOK_NS = 100000000;

/* By tid % KNOWN. A thread of the program is only counted here, so that its name is not read again and again; it may be
 * replaced by another, which a thread of the JVM never is. */
struct vm_thread {
    pid_t tid;
    unsigned looks; /* a thread may get its name a moment after it has begun */
    struct trace_stream *stream;
    struct trace_thread_update update;
};

static struct {
    pthread_mutex_t lock;
    uint64_t looked_ns; /* 0: never */
    struct vm_thread threads[KNOWN];
} vm = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void vm_threads_update(pid_t tid, void *user)
{
    (void)user;
    struct vm_thread *thread = &vm.threads[(unsigned)tid % KNOWN];
    if (thread->tid != tid && thread->stream)
        return;
    if (thread->tid != tid)
        *thread = (struct vm_thread){.tid = tid};
    if (!thread->stream && thread->looks < SURE) {
        char name[17];
        task_name(thread->tid, name, sizeof name);
        enum trace_role role = threads_role(name);
        thread->looks++;
        bool finalizes = strcmp(name, "Finalizer") == 0 || strcmp(name, "Reference Handl") == 0 ||
                         strcmp(name, "Common-Cleaner") == 0;
        if ((role != ROLE_JAVA || finalizes) && role != ROLE_NATIVE &&
            trace_stream_open(sampler_writer(), (uint64_t)thread->tid, name, role, &thread->stream) == 0) {
            thread->update = (struct trace_thread_update){.role = role, .first_ns = clock_ns(CLOCK_MONOTONIC)};
            if (vm.looked_ns == 0) /* it began before anything was recorded */
                task_cpu_ns(thread->tid, &thread->update.first_cpu_ns);
        }
    }
    if (!thread->stream || !task_cpu_ns(tid, &thread->update.last_cpu_ns))
        return;
    thread->update.last_ns = clock_ns(CLOCK_MONOTONIC);
    trace_stream_update(thread->stream, &thread->update);
}

void vm_threads_each(void (*visit)(pid_t tid, void *user), void *user)
{
    pthread_mutex_lock(&vm.lock);
    task_each(visit, user);
    pthread_mutex_unlock(&vm.lock);
}

void vm_threads_update_all(bool now)
{
    pthread_mutex_lock(&vm.lock);
    uint64_t at = clock_ns(CLOCK_MONOTONIC);
    if (sampler_writer() && (now || at - vm.looked_ns >= LOOK_NS)) {
        task_each(vm_threads_update, NULL);
        vm.looked_ns = at;
    }
    pthread_mutex_unlock(&vm.lock);
}
