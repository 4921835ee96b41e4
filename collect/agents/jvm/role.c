#include "collect/agents/jvm/role.h"

#include <string.h>

/* Prefixes of the names of HotSpot's threads, as cut by the kernel. The first match counts. */
static const struct {
    const char *prefix;
    enum trace_role role;
} threads_known[] = {
    {"C1 CompilerThre", ROLE_JIT},
    {"C2 CompilerThre", ROLE_JIT},
    {"JVMCI", ROLE_JIT},
    {"GC Thread", ROLE_GC},
    {"G1 ", ROLE_GC},
    {"ParGC Thread", ROLE_GC},
    {"Concurrent Mark", ROLE_GC},
    {"Shenandoah", ROLE_GC},
    {"ZWorker", ROLE_GC},
    {"ZDirector", ROLE_GC},
    {"ZDriver", ROLE_GC},
    {"ZStat", ROLE_GC},
    {"ZUncommitter", ROLE_GC},
    {"ZUnmapper", ROLE_GC},
    {"XWorker", ROLE_GC},
    {"XDirector", ROLE_GC},
    {"XDriver", ROLE_GC},
    {"XStat", ROLE_GC},
    {"XUncommitter", ROLE_GC},
    {"XUnmapper", ROLE_GC},
    {"RuntimeWorker", ROLE_GC},
    {"Gang worker", ROLE_GC},
    {"Epsilon", ROLE_GC},
    {"StringDedup", ROLE_GC},
    {"VM Thread", ROLE_VM},
    {"VM Periodic Tas", ROLE_VM},
    {"Service Thread", ROLE_VM},
    {"Monitor Deflati", ROLE_VM},
    {"Signal Dispatch", ROLE_VM},
    {"Notification Th", ROLE_VM},
    {"Attach Listener", ROLE_VM},
    {"Sweeper thread", ROLE_VM},
    {"JFR ", ROLE_VM},
};

enum trace_role threads_role(const char *name)
{
    for (size_t i = 0; i < sizeof threads_known / sizeof *threads_known; i++) {
        if (strncmp(name, threads_known[i].prefix, strlen(threads_known[i].prefix)) == 0)
            return threads_known[i].role;
    }
    return ROLE_JAVA;
}
