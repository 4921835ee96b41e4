/*
 * The dynamic linker's lock of the list of loaded files, around a fork. In the child glibc reinitializes the linker's
 * other locks, but leaves this one as it is: if another thread of the parent held it, nobody ever releases it, and the
 * child's writer, which asks which files are loaded, would wait for ever. A thread that loads or unloads a library
 * holds it at a fork more often than the few instructions inside suggest, because it waits there for the kernel, which
 * copies the address space.
 *
 * So the thread that forks takes the lock before, and it is free in the child. The lock has no public name. It is found
 * by its contents while dl_iterate_phdr() holds it, in the object in which the linker keeps what it shares with libc.
 */
#include "collect/agents/native/native.h"

#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <link.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

int linker_each(int (*callback)(struct dl_phdr_info *, size_t, void *), void *user)
{
    static int (*_Atomic iterate)(int (*)(struct dl_phdr_info *, size_t, void *), void *);
    void *libc = iterate ? NULL : dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD);
    if (libc)
        iterate = (int (*)(int (*)(struct dl_phdr_info *, size_t, void *), void *))dlsym(libc, "dl_iterate_phdr");
    return iterate ? iterate(callback, user) : 0;
}

static pthread_mutex_t *list_lock; /* NULL: unknown */

/* The location of the linker's state, and what was found there. */
struct search {
    char *low, *high;
    pthread_mutex_t *held;
    size_t count;
};

static int linker_find_held(struct dl_phdr_info *info, size_t size, void *user)
{
    struct search *search = user;
    (void)info;
    (void)size;
    for (char *at = search->low; at + sizeof(pthread_mutex_t) <= search->high; at += _Alignof(pthread_mutex_t)) {
        pthread_mutex_t *lock = (pthread_mutex_t *)(void *)at;
        if (lock->__data.__lock == 0 || lock->__data.__owner != gettid() || lock->__data.__count != 1 ||
            lock->__data.__kind != PTHREAD_MUTEX_RECURSIVE_NP)
            continue;
        search->held = lock;
        search->count++;
    }
    return 1;
}

void linker_find_lock(void)
{
    Dl_info info;
    void *symbol = NULL;
    struct search search = {.low = dlsym(RTLD_DEFAULT, "_rtld_global")};
    if (!search.low || !dladdr1(search.low, &info, &symbol, RTLD_DL_SYMENT) || !symbol)
        return;
    search.high = search.low + ((const ElfW(Sym) *)symbol)->st_size;
    linker_each(linker_find_held, &search);
    if (search.count == 1 && search.held->__data.__lock == 0 && search.held->__data.__owner == 0)
        list_lock = search.held;
}

bool linker_is_own(void)
{
    return list_lock && list_lock->__data.__owner == gettid();
}

bool linker_lock_before_fork(pthread_mutex_t *lock)
{
    return (linker_is_own() ? pthread_mutex_trylock(lock) : pthread_mutex_lock(lock)) == 0;
}

bool linker_hold(void)
{
    enum { PATIENCE_NS = 200000000, SECOND_NS = 1000000000 };
    struct timespec until;
    if (!list_lock)
        return true;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (until.tv_nsec + PATIENCE_NS) / SECOND_NS;
    until.tv_nsec = (until.tv_nsec + PATIENCE_NS) % SECOND_NS;
    return pthread_mutex_clocklock(list_lock, CLOCK_MONOTONIC, &until) == 0;
}

void linker_release(void)
{
    if (list_lock)
        pthread_mutex_unlock(list_lock);
}

void linker_release_in_child(void)
{
    if (!list_lock || list_lock->__data.__lock == 0) /* a later glibc may reinitialize this one, too */
        return;
    list_lock->__data.__owner = gettid(); /* this thread has another id than in the parent */
    pthread_mutex_unlock(list_lock);
}

void linker_forget(void)
{
    list_lock = NULL;
}
