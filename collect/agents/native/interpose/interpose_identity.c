/*
 * A process with one thread may change user and group in ways that fail in a process with several: there glibc makes
 * every thread change, and aborts if one can't (PR_SET_KEEPCAPS and capabilities belong to a thread). The sampler's
 * threads must not make such a change fail. So if the program has one thread, only that thread changes, by system call;
 * the sampler's threads keep their identity, which is also the one that may write the trace.
 */
#include "collect/agents/native/native.h"

#include <grp.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns as glibc's function would. */
#define ONE_THREAD(number, ...)                                                                                        \
    if (sampler_has_one_thread())                                                                                      \
    return (int)syscall(number, __VA_ARGS__)

static const uid_t same_user = (uid_t)-1;
static const gid_t same_group = (gid_t)-1;

EXPORT int setuid(uid_t user)
{
    ONE_THREAD(SYS_setuid, user);
    return ((int (*)(uid_t))interpose_next("setuid"))(user);
}

EXPORT int setgid(gid_t group)
{
    ONE_THREAD(SYS_setgid, group);
    return ((int (*)(gid_t))interpose_next("setgid"))(group);
}

EXPORT int seteuid(uid_t user)
{
    ONE_THREAD(SYS_setresuid, same_user, user, same_user);
    return ((int (*)(uid_t))interpose_next("seteuid"))(user);
}

EXPORT int setegid(gid_t group)
{
    ONE_THREAD(SYS_setresgid, same_group, group, same_group);
    return ((int (*)(gid_t))interpose_next("setegid"))(group);
}

EXPORT int setreuid(uid_t real, uid_t effective)
{
    ONE_THREAD(SYS_setreuid, real, effective);
    return ((int (*)(uid_t, uid_t))interpose_next("setreuid"))(real, effective);
}

EXPORT int setregid(gid_t real, gid_t effective)
{
    ONE_THREAD(SYS_setregid, real, effective);
    return ((int (*)(gid_t, gid_t))interpose_next("setregid"))(real, effective);
}

EXPORT int setresuid(uid_t real, uid_t effective, uid_t saved)
{
    ONE_THREAD(SYS_setresuid, real, effective, saved);
    return ((int (*)(uid_t, uid_t, uid_t))interpose_next("setresuid"))(real, effective, saved);
}

EXPORT int setresgid(gid_t real, gid_t effective, gid_t saved)
{
    ONE_THREAD(SYS_setresgid, real, effective, saved);
    return ((int (*)(gid_t, gid_t, gid_t))interpose_next("setresgid"))(real, effective, saved);
}

EXPORT int setgroups(size_t count, const gid_t *groups)
{
    ONE_THREAD(SYS_setgroups, count, groups);
    return ((int (*)(size_t, const gid_t *))interpose_next("setgroups"))(count, groups);
}
