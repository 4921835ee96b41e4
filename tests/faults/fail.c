/*
 * A preloaded library that lets the n-th call of a kind fail, once, and counts the calls. By the environment:
 *
 *   FAIL_CALL     alloc, open, write, read, map, fork, thread, file (rename, ftruncate, mkdir), stream (fclose,
 *                 fflush: the device is full from here on)
 *   FAIL_AT       n, from 1; 0: only count
 *   FAIL_AS       an errno value; or "short": half of the bytes of a write or read
 *   FAIL_PROGRAM  only in processes of programs whose name begins like this
 *   FAIL_FROM     only calls from objects whose path contains this, or all
 *   FAIL_SHOW     1: prints the calls that led to the failing one
 *   FAIL_LOG      a file that gets a line for each process: its program, its count, and whether a call failed
 *
 * Calls that the C library makes within itself (fopen() and its open()) are not seen, but for those of malloc().
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

enum { SHOWN_MAX = 40 };

enum kind { ALLOC, OPEN, WRITE, READ, MAP, FORK, THREAD, FILE_CHANGE, STREAM, KINDS };

static const char *const KIND_NAMES[KINDS] = {"alloc", "open",   "write", "read",  "map",
                                              "fork",  "thread", "file",  "stream"};

static bool is_on, is_short, shows;
static enum kind failing;
static unsigned long fail_at;
static int fail_errno;
static const char *fail_from;
static atomic_ulong counted;
static atomic_bool has_failed;

static bool fail_is_from(const void *caller)
{
    Dl_info info;
    return !fail_from || (dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, fail_from));
}

/* Whether this call is the one; then errno is set. */
static bool fail_now(enum kind kind, const void *caller)
{
    if (!is_on || kind != failing || !fail_is_from(caller))
        return false;
    if (atomic_fetch_add(&counted, 1) + 1 != fail_at)
        return false;
    atomic_store(&has_failed, true);
    if (shows) {
        void *callers[SHOWN_MAX];
        is_on = false;
        backtrace_symbols_fd(callers, backtrace(callers, SHOWN_MAX), STDERR_FILENO);
    }
    errno = fail_errno;
    return true;
}

#define FAILS(kind) fail_now(kind, __builtin_return_address(0))

__attribute__((constructor)) static void fail_begin(void)
{
    const char *kind = getenv("FAIL_CALL"), *at = getenv("FAIL_AT"), *as = getenv("FAIL_AS");
    const char *program = getenv("FAIL_PROGRAM");
    if (!kind || !at || !as || (program && strncmp(program_invocation_short_name, program, strlen(program)) != 0))
        return;
    for (failing = 0; failing < KINDS && strcmp(KIND_NAMES[failing], kind) != 0; failing++) {
    }
    fail_at = strtoul(at, NULL, 10);
    is_short = strcmp(as, "short") == 0;
    fail_errno = atoi(as);
    fail_from = getenv("FAIL_FROM");
    shows = getenv("FAIL_SHOW");
    is_on = failing < KINDS;
}

__attribute__((destructor)) static void fail_end(void)
{
    const char *log = getenv("FAIL_LOG");
    char line[256];
    if (!is_on || !log)
        return;
    is_on = false;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    int length = snprintf(line, sizeof line, "%s %lu %s\n", program_invocation_short_name, (unsigned long)counted,
                          has_failed ? "failed" : "whole");
    if (fd >= 0)
        syscall(SYS_write, fd, line, (size_t)length);
}

void *malloc(size_t size)
{
    return FAILS(ALLOC) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return FAILS(ALLOC) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return FAILS(ALLOC) ? NULL : __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return FAILS(ALLOC) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    if (FAILS(ALLOC))
        return fail_errno;
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}

#define OPEN_AT(directory, path, flags, mode)                                                                          \
    (FAILS(OPEN) ? -1 : (int)syscall(SYS_openat, directory, path, flags, mode))

#define MODE_OF(last)                                                                                                  \
    va_list arguments;                                                                                                 \
    va_start(arguments, last);                                                                                         \
    mode_t mode = va_arg(arguments, mode_t);                                                                           \
    va_end(arguments)

int open(const char *path, int flags, ...)
{
    MODE_OF(flags);
    return OPEN_AT(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    MODE_OF(flags);
    return OPEN_AT(AT_FDCWD, path, flags, mode);
}

int openat(int directory, const char *path, int flags, ...)
{
    MODE_OF(flags);
    return OPEN_AT(directory, path, flags, mode);
}

int openat64(int directory, const char *path, int flags, ...)
{
    MODE_OF(flags);
    return OPEN_AT(directory, path, flags, mode);
}

#define TRANSFER(kind, number, fd, bytes, size, ...)                                                                   \
    do {                                                                                                               \
        if (FAILS(kind)) {                                                                                             \
            if (!is_short)                                                                                             \
                return -1;                                                                                             \
            return syscall(number, fd, bytes, (size) > 1 ? (size) / 2 : (size), ##__VA_ARGS__);                        \
        }                                                                                                              \
        return syscall(number, fd, bytes, size, ##__VA_ARGS__);                                                        \
    } while (0)

ssize_t write(int fd, const void *bytes, size_t size)
{
    TRANSFER(WRITE, SYS_write, fd, bytes, size);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
    TRANSFER(WRITE, SYS_pwrite64, fd, bytes, size, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset)
{
    TRANSFER(WRITE, SYS_pwrite64, fd, bytes, size, offset);
}

ssize_t read(int fd, void *bytes, size_t size)
{
    TRANSFER(READ, SYS_read, fd, bytes, size);
}

ssize_t pread(int fd, void *bytes, size_t size, off_t offset)
{
    TRANSFER(READ, SYS_pread64, fd, bytes, size, offset);
}

ssize_t pread64(int fd, void *bytes, size_t size, off64_t offset)
{
    TRANSFER(READ, SYS_pread64, fd, bytes, size, offset);
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    return FAILS(MAP) ? MAP_FAILED : (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
}

void *mmap64(void *at, size_t size, int protection, int flags, int fd, off64_t offset)
{
    return FAILS(MAP) ? MAP_FAILED : (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
}

/* The C library's own function of this name. */
#define NEXT(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

pid_t fork(void)
{
    return FAILS(FORK) ? -1 : NEXT(fork)();
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
    return FAILS(THREAD) ? fail_errno : NEXT(pthread_create)(thread, attributes, run, argument);
}

int rename(const char *from, const char *to)
{
    return FAILS(FILE_CHANGE) ? -1 : NEXT(rename)(from, to);
}

int ftruncate(int fd, off_t size)
{
    return FAILS(FILE_CHANGE) ? -1 : NEXT(ftruncate)(fd, size);
}

int mkdir(const char *path, mode_t mode)
{
    return FAILS(FILE_CHANGE) ? -1 : NEXT(mkdir)(path, mode);
}

/* The stream's file becomes one that is full. */
static void fail_fill(FILE *stream)
{
    int full = (int)syscall(SYS_openat, AT_FDCWD, "/dev/full", O_WRONLY | O_CLOEXEC, 0);
    if (stream && full >= 0 && fileno(stream) >= 0)
        dup3(full, fileno(stream), O_CLOEXEC);
    if (full >= 0)
        close(full);
}

int fclose(FILE *stream)
{
    if (FAILS(STREAM))
        fail_fill(stream);
    return NEXT(fclose)(stream);
}

int fflush(FILE *stream)
{
    if (FAILS(STREAM))
        fail_fill(stream);
    return NEXT(fflush)(stream);
}
