/*
 * A preloaded library that lets the n-th call of a kind fail, once, and counts the calls. By the environment:
 *
 *   FAIL_CALL     alloc, open (also directories), write, read, map, fork, thread, file (rename, ftruncate, mkdir),
 *                 stream (fclose, fflush: the device is full from here on), close, sync, wait (poll, epoll), end (new
 *                 descriptors of pipes, memory and the like), system (perf events and others, by syscall())
 *   FAIL_AT       n, from 1; 0: only count
 *   FAIL_AS       an errno value; or "short": half of the bytes of a write or read
 *   FAIL_PROGRAM  only in processes of programs whose name begins like this
 *   FAIL_FROM     only calls from objects whose path contains one of these words, between commas; or all
 *   FAIL_SHOW     1: prints the calls that led to the failing one
 *   FAIL_LOG      a file that gets a line for each process: its program, its count, and whether a call failed
 *   FAIL_COUNT    a file of 8 bytes in which all processes count together
 *
 * Calls that the C library makes within itself (fopen() and its open()) are not seen, but for those of malloc().
 */
#include <dirent.h>
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
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

enum { SHOWN_MAX = 40 };

enum kind { ALLOC, OPEN, WRITE, READ, MAP, FORK, THREAD, FILE_CHANGE, STREAM, CLOSE, SYNC, WAIT, END, SYSTEM, KINDS };

static const char *const KIND_NAMES[KINDS] = {"alloc", "open",   "write", "read", "map",  "fork", "thread",
                                              "file",  "stream", "close", "sync", "wait", "end",  "system"};

static bool is_on, is_short, shows;
static enum kind failing;
static unsigned long fail_at;
static int fail_errno;
static const char *fail_from;
static atomic_ulong counted_here, *counted = &counted_here;
static atomic_bool has_begun, has_failed;

/* The kernel's call: this library has a syscall() of its own. */
static long fail_kernel(long number, long a, long b, long c, long d, long e, long f)
{
    long result;
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = e;
    register long sixth __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return -1;
    }
    return result;
}

#define KERNEL_6(number, a, b, c, d, e, f, ...)                                                                        \
    fail_kernel(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define KERNEL(...) KERNEL_6(__VA_ARGS__, 0, 0, 0, 0, 0, 0)

/* Whether the program's name begins like this, as far as the kernel knows it: the C library may not know yet. */
static bool fail_is_program(const char *wanted)
{
    enum { KNOWN = 15 };
    char name[KNOWN + 1] = "";
    int fd = (int)KERNEL(SYS_openat, AT_FDCWD, "/proc/self/comm", O_RDONLY | O_CLOEXEC, 0);
    KERNEL(SYS_read, fd, name, KNOWN);
    KERNEL(SYS_close, fd);
    size_t length = strlen(wanted);
    return strncmp(name, wanted, length < KNOWN ? length : KNOWN) == 0;
}

/* A library of ours may make calls before the constructors of this one. */
static void fail_begin(void)
{
    if (!environ || atomic_exchange(&has_begun, true))
        return;
    const char *kind = getenv("FAIL_CALL"), *at = getenv("FAIL_AT"), *as = getenv("FAIL_AS");
    const char *program = getenv("FAIL_PROGRAM");
    if (!kind || !at || !as || (program && !fail_is_program(program)))
        return;
    for (failing = 0; failing < KINDS && strcmp(KIND_NAMES[failing], kind) != 0; failing++) {
    }
    fail_at = strtoul(at, NULL, 10);
    is_short = strcmp(as, "short") == 0;
    fail_errno = atoi(as);
    fail_from = getenv("FAIL_FROM");
    shows = getenv("FAIL_SHOW");
    const char *count = getenv("FAIL_COUNT");
    int fd = count ? (int)KERNEL(SYS_openat, AT_FDCWD, count, O_RDWR | O_CLOEXEC, 0) : -1;
    if (fd >= 0) {
        long at_address = KERNEL(SYS_mmap, NULL, sizeof *counted, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (at_address != -1)
            counted = (atomic_ulong *)at_address;
        KERNEL(SYS_close, fd);
    }
    is_on = failing < KINDS;
}

static bool fail_is_from(const void *caller)
{
    Dl_info info;
    bool is_from = !fail_from;
    if (is_from || !dladdr(caller, &info) || !info.dli_fname)
        return is_from;
    for (const char *word = fail_from; *word && !is_from; word += strspn(word, ",")) {
        size_t length = strcspn(word, ",");
        is_from = memmem(info.dli_fname, strlen(info.dli_fname), word, length);
        word += length;
    }
    return is_from;
}

/* Whether this call is the one; then errno is set. */
static bool fail_now(enum kind kind, const void *caller)
{
    if (!atomic_load_explicit(&has_begun, memory_order_relaxed))
        fail_begin();
    if (!is_on || kind != failing || !fail_is_from(caller))
        return false;
    if (atomic_fetch_add(counted, 1) + 1 != fail_at)
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

__attribute__((constructor)) static void fail_construct(void)
{
    fail_begin();
}

__attribute__((destructor)) static void fail_end(void)
{
    const char *log = getenv("FAIL_LOG");
    char line[256];
    if (!is_on || !log)
        return;
    is_on = false;
    int fd = (int)KERNEL(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    int length = snprintf(line, sizeof line, "%s %lu %s\n", program_invocation_short_name, (unsigned long)*counted,
                          has_failed ? "failed" : "whole");
    if (fd >= 0)
        KERNEL(SYS_write, fd, line, (size_t)length);
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

#define OPEN_AT(directory, path, flags, mode) (FAILS(OPEN) ? -1 : (int)KERNEL(SYS_openat, directory, path, flags, mode))

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
            return KERNEL(number, fd, bytes, (size) > 1 ? (size) / 2 : (size), ##__VA_ARGS__);                         \
        }                                                                                                              \
        return KERNEL(number, fd, bytes, size, ##__VA_ARGS__);                                                         \
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
    return FAILS(MAP) ? MAP_FAILED : (void *)KERNEL(SYS_mmap, at, size, protection, flags, fd, offset);
}

void *mmap64(void *at, size_t size, int protection, int flags, int fd, off64_t offset)
{
    return FAILS(MAP) ? MAP_FAILED : (void *)KERNEL(SYS_mmap, at, size, protection, flags, fd, offset);
}

int mprotect(void *at, size_t size, int protection)
{
    return FAILS(MAP) ? -1 : (int)KERNEL(SYS_mprotect, at, size, protection);
}

/* The C library's own function of this name. */
#define NEXT(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

FILE *fopen(const char *path, const char *mode)
{
    return FAILS(OPEN) ? NULL : NEXT(fopen)(path, mode);
}

DIR *opendir(const char *path)
{
    return FAILS(OPEN) ? NULL : NEXT(opendir)(path);
}

int close(int fd)
{
    bool fails = FAILS(CLOSE);
    int error = errno, result = (int)KERNEL(SYS_close, fd); /* the kernel closes it in any case */
    if (fails)
        errno = error;
    return fails ? -1 : result;
}

int fsync(int fd)
{
    return FAILS(SYNC) ? -1 : (int)KERNEL(SYS_fsync, fd);
}

int poll(struct pollfd *waited, nfds_t count, int patience_ms)
{
    return FAILS(WAIT) ? -1 : NEXT(poll)(waited, count, patience_ms);
}

int ppoll(struct pollfd *waited, nfds_t count, const struct timespec *patience, const sigset_t *mask)
{
    return FAILS(WAIT) ? -1 : NEXT(ppoll)(waited, count, patience, mask);
}

int epoll_wait(int fd, struct epoll_event *events, int count, int patience_ms)
{
    return FAILS(WAIT) ? -1 : NEXT(epoll_wait)(fd, events, count, patience_ms);
}

int epoll_create1(int flags)
{
    return FAILS(END) ? -1 : NEXT(epoll_create1)(flags);
}

int eventfd(unsigned count, int flags)
{
    return FAILS(END) ? -1 : NEXT(eventfd)(count, flags);
}

int memfd_create(const char *name, unsigned flags)
{
    return FAILS(END) ? -1 : NEXT(memfd_create)(name, flags);
}

int pipe2(int ends[2], int flags)
{
    return FAILS(END) ? -1 : NEXT(pipe2)(ends, flags);
}

int dup2(int from, int to)
{
    return FAILS(END) ? -1 : NEXT(dup2)(from, to);
}

long syscall(long number, ...)
{
    static const long FAILING[] = {SYS_perf_event_open, SYS_process_vm_readv, SYS_pidfd_open, SYS_pidfd_getfd,
                                   SYS_ptrace};
    va_list arguments;
    va_start(arguments, number);
    long values[6];
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        values[i] = va_arg(arguments, long);
    va_end(arguments);
    bool can_fail = false;
    for (size_t i = 0; i < sizeof FAILING / sizeof *FAILING; i++)
        can_fail |= number == FAILING[i];
    if (can_fail && FAILS(SYSTEM))
        return -1;
    return KERNEL(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}

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
    int full = (int)KERNEL(SYS_openat, AT_FDCWD, "/dev/full", O_WRONLY | O_CLOEXEC, 0);
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
