/*
 * threads.c - the beginning and end of Java threads.
 */
#include "collect/agents/jvm/agent.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The JVM's name, in *info, to be released to the JVM TI. */
static bool threads_read_info(jvmtiEnv *jvmti, jthread thread, jvmtiThreadInfo *info)
{
    return (*jvmti)->GetThreadInfo(jvmti, thread, info) == JVMTI_ERROR_NONE;
}

/* For the clock `safepoint`. tid 0: to be found by the name. */
static void threads_add_to_safepoints(jvmtiEnv *jvmti, jthread thread, uint64_t tid)
{
    jvmtiThreadInfo info;
    if (!threads_read_info(jvmti, thread, &info))
        return;
    DIR *tasks = tid ? NULL : opendir("/proc/self/task");
    for (struct dirent *entry; tasks && !tid && (entry = readdir(tasks));) {
        char path[64], comm[17] = ""; /* the name as cut by the kernel */
        snprintf(path, sizeof path, "/proc/self/task/%.20s/comm", entry->d_name);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "re");
        if (!file)
            continue;
        if (fgets(comm, sizeof comm, file)) {
            comm[strcspn(comm, "\n")] = '\0';
            tid = strncmp(comm, info.name, 15) == 0 ? strtoull(entry->d_name, NULL, 10) : 0;
        }
        fclose(file);
    }
    if (tasks)
        closedir(tasks);
    /* Since JDK 9 the reference handler waits in a native method, which looks as if it were running; to hprof it was
     * waiting. */
    if (tid && strcmp(info.name, "Reference Handler") != 0)
        safepoint_thread_start(thread, info.name, tid);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)info.name);
}

void threads_start(jvmtiEnv *jvmti, jthread thread)
{
    jvmtiThreadInfo info;
    if (agent_own_thread)
        return;
    if (agent.safepoint_clock) {
        threads_add_to_safepoints(jvmti, thread, (uint64_t)gettid());
        return;
    }
    sampler_thread_begin();
    if (!sampler_thread_name || !threads_read_info(jvmti, thread, &info))
        return;
    sampler_thread_name(info.name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)info.name);
}

void threads_add_present(jvmtiEnv *jvmti, jthread self)
{
    jint count;
    jthread *threads;
    threads_start(jvmti, self);
    if (!agent.safepoint_clock || (*jvmti)->GetAllThreads(jvmti, &count, &threads) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count; i++) {
        void *known = NULL;
        (*jvmti)->GetThreadLocalStorage(jvmti, threads[i], &known);
        if (!known)
            threads_add_to_safepoints(jvmti, threads[i], 0);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)threads);
}

void threads_end(jthread thread)
{
    /* Otherwise does nothing: a thread that leaves the JVM may live on and come back (the main thread does both), and
     * the sampler notices when it ends. */
    if (agent.safepoint_clock && !agent_own_thread)
        safepoint_thread_end(thread);
}
