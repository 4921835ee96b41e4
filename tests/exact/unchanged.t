#!/bin/sh
# Programs under the exact tool do what they do alone: filters of system calls, names, limits, descriptors, programs
# that can't run under Valgrind, long directories; and --only and --skip.
. "$(dirname "$0")/../tap.sh"
[ -x "$build/lib/assay/valgrind/assay-amd64-linux" ] || { echo '1..0 # SKIP this build has no Valgrind tool' && exit; }
command -v valgrind >/dev/null || { echo '1..0 # SKIP there is no valgrind here' && exit; }
unset LD_PRELOAD ASSAY_RECORD JAVA_TOOL_OPTIONS
record=$build/libexec/assay/assay-record
scratch

# unchanged WHAT COMMAND...: output, errors and status are those of the command alone
unchanged() {
    what=$1
    shift
    "$@" >alone 2>alone.err </dev/null
    echo "status $?" >>alone
    rm -rf out
    timeout -k 5 300 "$record" -q -m silent-store -E exact -o out -- "$@" >said 2>both </dev/null
    echo "status $?" >>said
    grep -v '^assay-record: ' both >err
    is "$(cat said)" "$(cat alone)" "$what: output and status"
    is "$(cat err)" "$(cat alone.err)" "$what: errors"
}

# name, command line, environment
unchanged 'the name that a program is called by' sh -c 'ls /nonexistent; exec cat /nonexistent'
unchanged 'the same by another name' env -i sh -c 'PATH=/bin:/usr/bin; bash -c "exec -a other sh -c \"echo \\\$0; /nonexistent\""'
unchanged 'names in /proc' sh -c 'cat /proc/self/comm; tr "\0" " " </proc/self/cmdline; cat /proc/$$/comm'
unchanged 'the path of a descriptor' bash -c 'exec 7</bin/sh; exec /proc/self/fd/7 -c "cat /proc/self/comm; test -e /proc/self/fd/7; echo \$?"'
unchanged 'a program that executes itself' sh -c 'exec /proc/self/exe -c "echo again"'
unchanged 'the same by other paths' sh -c '
    (cd /proc/self; exec ./exe -c "echo \$0 by a relative path")
    (exec /proc/self/task/../exe -c "echo \$0 by another path")
    PROGRAM=$$ env sh -c "exec /proc/\$PROGRAM/exe -c \"echo of the parent\""
    sleep 300 & other=$!
    until [ "$(cat /proc/$other/comm)" = sleep ]; do :; done
    /proc/$other/exe 0 && echo another program; kill $other'
unchanged 'variables of Valgrind' sh -c 'sh -c "echo \"<\$VALGRIND_LIB>\"; env | grep -c ^VALGRIND"'
unchanged 'no environment' env -i env
unchanged 'a library that the program preloads' env LD_PRELOAD=/nonexistent.so env -u LD_PRELOAD printenv PATH
unchanged 'the variable that says so' env -i LD_PRELOAD=libc.so.6 env

# descriptors and limits
unchanged 'standard descriptors that are closed' bash -c 'exec 8>&1 0<&- 1>&- 2>&-; exec bash -c "for n in 0 1 2; do test -e /proc/self/fd/\$n; echo \$? >&8; done"'
unchanged 'descriptors' sh -c 'sh -c "ls /proc/self/fd | awk \"\\\$1 < 1000\" | wc -l"'
unchanged 'a limit of descriptors' sh -c 'ulimit -n; ulimit -n 30; ulimit -Hn; sh -c "ulimit -n; ulimit -Hn"'
unchanged 'a limit of the address space' sh -c 'ulimit -v 400000; sh -c "ulimit -v; true"; env sh -c "ulimit -v"'
unchanged 'a limit of the stack' sh -c 'ulimit -s 4096; sh -c "ulimit -s"'
unchanged 'a limit of the data segment' sh -c 'ulimit -S -d 20000; sh -c "ulimit -d"; ulimit -d 20000; env sh -c "ulimit -H -d"'

# a recorder that is started under a limit
for limit in '-S -v 400000' '-S -d 20000'; do
    bash -c "ulimit $limit; sh -c 'ulimit -v; ulimit -d; exec ls -d /'" >alone 2>&1
    rm -rf out
    bash -c "ulimit $limit; exec '$record' -q -m silent-store -E exact -o out -- sh -c 'ulimit -v; ulimit -d; exec ls -d /'" >said 2>&1
    is "$(cat said)" "$(cat alone)" "a recorder under ulimit $limit: the command has this limit"
    is "$(find out -name '*.trace' | wc -l)" 2 '  Valgrind has more, and there are traces'
done
hard=$(bash -c 'ulimit -v 400000; ulimit -H -v unlimited 2>/dev/null; ulimit -H -v')
for letter in v d; do
    rm -rf out
    bash -c "ulimit -$letter 400000; exec '$record' -q -m silent-store -E exact -o out -- ls -d /" >said 2>err
    status=$?
    if [ "$hard" = unlimited ]; then
        is "$status$(cat said err)" 0/ "ulimit -H -$letter: a recorder with privileges raises it"
    else
        is "$status$(cat said)" 1 "ulimit -H -$letter: Valgrind can't start, and nothing runs"
        is "$(cat err)" "assay-record: engine exact: Valgrind needs 4 GB of memory addresses, and the hard limit (ulimit -H -$letter) permits 400000 KB; raise it, or take another engine" '  one line tells why'
    fi
done

cat >limits.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static void report(const char *what, int failed)
{
    printf("%s: %s\n", what, failed ? strerror(errno) : "good");
    fflush(stdout);
}

static void limit(const char *what, int resource, rlim_t soft, rlim_t hard)
{
    struct rlimit limit = {soft, hard};
    report(what, setrlimit(resource, &limit) != 0);
    getrlimit(resource, &limit);
    printf("  %lld, %lld\n", (long long)limit.rlim_cur, (long long)limit.rlim_max);
}

static void *map(const char *what, void *at, size_t megabytes, int flags)
{
    void *memory = mmap(at, megabytes << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    report(what, memory == MAP_FAILED);
    return memory;
}

int main(void)
{
    long most = 1 << 20;
    FILE *file = fopen("/proc/sys/fs/nr_open", "r");
    if (file && fscanf(file, "%ld", &most) == 1)
        fclose(file);
    limit("files: infinity", RLIMIT_NOFILE, RLIM_INFINITY, RLIM_INFINITY);
    limit("files: beyond the ceiling", RLIMIT_NOFILE, 1000, (rlim_t)most + 1);
    limit("files: the ceiling", RLIMIT_NOFILE, 1000, (rlim_t)most);
    limit("files: soft above hard", RLIMIT_NOFILE, 1000, 999);
    limit("files: lower", RLIMIT_NOFILE, 100, 200);
    limit("files: higher again", RLIMIT_NOFILE, 100, 300);
    report("copy at the limit", fcntl(1, F_DUPFD, 100) < 0);
    report("copy beyond it", fcntl(1, F_DUPFD_CLOEXEC, 5000) < 0);
    report("copy at no number", fcntl(1, F_DUPFD, -1) < 0);
    report("copy of nothing", fcntl(99, F_DUPFD, 100) < 0);
    report("copy below it", fcntl(1, F_DUPFD, 99) < 0);
    report("another one", fcntl(1, F_DUPFD, 99) < 0);
    report("second copy beyond it", dup2(1, 100) < 0);
    limit("space", RLIMIT_AS, 300 << 20, 400 << 20);
    char *memory = map("a part of it", (void *)0x100000000000, 100, MAP_FIXED);
    map("too much at any address", NULL, 300, 0);
    map("too much at a fixed address", (void *)0x200000000000, 300, MAP_FIXED);
    map("a fixed address in the middle", memory + (50 << 20), 100, MAP_FIXED);
    map("what is there already", memory, 150, MAP_FIXED);
    limit("space: higher again", RLIMIT_AS, 300 << 20, RLIM_INFINITY);
    limit("space: the old limit", RLIMIT_AS, RLIM_INFINITY, RLIM_INFINITY);
    limit("files: for another program", RLIMIT_NOFILE, 1000, (rlim_t)most);
    if (geteuid() == 0)
        report("another user", setresuid(65534, 65534, 65534) != 0);
    limit("files: without privileges", RLIMIT_NOFILE, 1000, (rlim_t)most + 1);
    limit("files: lower without privileges", RLIMIT_NOFILE, 1000, 2000);
    limit("files: higher without privileges", RLIMIT_NOFILE, 1000, 2001);
    execl("/bin/sh", "sh", "-c", "ulimit -n; ulimit -Hn", (char *)NULL);
    return 1;
}
END
cc -o limits limits.c || exit 1
chmod 755 .
unchanged 'limits that the kernel refuses, and what they forbid' ./limits
like said 'copy at the limit: Invalid argument' '  they forbid something'
TMPDIR=/nonexistent
export TMPDIR
unchanged 'no directory for temporary files' sh -c 'sh -c "echo \$TMPDIR"'
unset TMPDIR

# filters
cat >filter.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void report(const char *what, long result)
{
    printf("%s: %ld, %s\n", what, result, result < 0 ? strerror(errno) : "");
    fflush(stdout);
}

static long install(unsigned call, unsigned action, unsigned flags)
{
    struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                                 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, action),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {4, code};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

static void on_trap(int number, siginfo_t *info, void *context)
{
    (void)context;
    printf("signal %d, code %d, errno %d, call %d\n", number, info->si_code, info->si_errno, info->si_syscall);
}

static void *in_thread(void *nothing)
{
    report("in a thread", syscall(SYS_getpgid, 0) < 0 ? -1 : 0);
    return nothing;
}

static void in_child(const char *what, unsigned action)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSYS, action == SECCOMP_RET_TRAP ? SIG_IGN : SIG_DFL);
        install(SYS_getsid, action, 0);
        syscall(SYS_getsid, 0);
        _exit(7);
    }
    waitpid(child, &status, 0);
    printf("%s: exit %d, signal %d\n", what, WIFEXITED(status) ? WEXITSTATUS(status) : -1,
           WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    fflush(stdout);
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    struct sock_filter wrong[] = {BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 0), BPF_STMT(BPF_RET | BPF_K, 0)};
    struct sock_fprog program = {2, wrong}, empty = {0, wrong};
    unsigned known = SECCOMP_RET_TRAP, unknown = 0x12340000;
    pthread_t thread;
    report("mode", prctl(PR_GET_SECCOMP));
    report("no pointer", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL));
    report("unknown flag", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 1u << 31, NULL));
    report("unknown operation", syscall(SYS_seccomp, 99, 0, NULL));
    report("known action", syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &known));
    report("unknown action", syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &unknown));
    if (geteuid() != 0)
        report("without permission", install(SYS_getpgid, SECCOMP_RET_ERRNO | EXDEV, 0));
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    report("wrong filter", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program));
    report("empty filter", prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &empty));
    report("filter", install(SYS_getpgid, SECCOMP_RET_ERRNO | EXDEV, 0));
    report("mode", prctl(PR_GET_SECCOMP));
    report("strict now", prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT));
    report("refused", syscall(SYS_getpgid, 0));
    pthread_create(&thread, NULL, in_thread, NULL);
    pthread_join(thread, NULL);
    report("trace", install(SYS_getpriority, SECCOMP_RET_TRACE | 1, 0));
    report("traced", syscall(SYS_getpriority, 0, 0));
    sigaction(SIGSYS, &action, NULL);
    report("trap", install(SYS_getpgrp, SECCOMP_RET_TRAP | 77, SECCOMP_FILTER_FLAG_TSYNC));
    report("trapped", syscall(SYS_getpgrp) == SYS_getpgrp);
    in_child("kill the process", SECCOMP_RET_KILL_PROCESS);
    in_child("kill the thread", SECCOMP_RET_KILL_THREAD);
    in_child("ignored trap", SECCOMP_RET_TRAP);
    in_child("unknown action", 0x00010000);
    in_child("log", SECCOMP_RET_LOG);
    fflush(stdout);
    execl("/bin/sh", "sh", "-c", "grep NoNewPrivs /proc/self/status; ./refused; ./asan", (char *)NULL);
    return 1;
}
END
cat >refused.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    long result = syscall(SYS_getpgid, 0);
    printf("%s: %d\n", result < 0 ? "refused" : "allowed", result < 0 ? errno : 0);
    return 0;
}
END
cc -o filter filter.c -pthread && cc -o refused refused.c || exit 1
cc -fsanitize=address -o asan refused.c 2>/dev/null && ./asan >/dev/null 2>&1 || cp refused asan
unchanged 'filters of system calls, also of programs that it executes' ./filter
like said 'kill the process: exit -1, signal 31' '  they have been there'
is "$(grep -c '^refused: 18' said)" 2 '  also for a program without Valgrind'

cat >checked.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sock_filter code[4097];
static pthread_barrier_t together;
static long ids[2];

static void report(const char *what, long result)
{
    printf("%s: %s\n", what, result < 0 ? strerror(errno) : result > 0 ? "a thread" : "good");
    fflush(stdout);
}

static long install(unsigned length, unsigned flags)
{
    struct sock_fprog program = {(unsigned short)length, code};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

static void *diverge(void *index)
{
    ids[(long)index] = syscall(SYS_gettid);
    install(1, 0);
    pthread_barrier_wait(&together);
    pthread_barrier_wait(&together);
    return NULL;
}

static void threads(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&together, NULL, 3);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, diverge, (void *)i);
    pthread_barrier_wait(&together);
    long first = ids[0] < ids[1] ? ids[0] : ids[1], result = install(1, SECCOMP_FILTER_FLAG_TSYNC);
    report("filters diverge", result);
    printf("the older one: %d\n", result == first);
    report("filters diverge, an error", install(1, SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_TSYNC_ESRCH));
    pthread_barrier_wait(&together);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    report("none diverges", install(1, SECCOMP_FILTER_FLAG_TSYNC));
}

/* Without room for another process of the user's. */
static void alone(void)
{
    struct rlimit none = {0, 0};
    struct sock_fprog nowhere = {1, (struct sock_filter *)16};
    if (geteuid() == 0 && setresuid(54321, 54321, 54321) != 0)
        return;
    setrlimit(RLIMIT_NPROC, &none);
    report("fork", fork() < 0 ? -1 : 0);
    report("no pointer", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL));
    report("a filter nowhere", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &nowhere));
    report("empty", install(0, 0));
    report("too long", install(4097, 0));
    report("unknown flag", install(1, 1u << 31));
    code[0].code = 0xffff;
    report("wrong", install(1, 0));
    code[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
    code[1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgid, 0, 1);
    code[2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EXDEV);
    report("good", install(4, SECCOMP_FILTER_FLAG_TSYNC));
    report("it forbids", syscall(SYS_getpgid, 0));
    fflush(stdout);
}

int main(void)
{
    for (int i = 0; i < 4097; i++)
        code[i] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    threads();
    if (fork() == 0) {
        int count = 0;
        while (count < 100 && install(4096, 0) == 0)
            count++;
        report("too many instructions", -1);
        printf("%d filters\n", count);
        fflush(stdout);
        _exit(0);
    }
    wait(NULL);
    alone();
    _exit(3);
}
END
cc -o checked checked.c -pthread || exit 1
unchanged 'filters that the kernel refuses' ./checked
like said 'the older one: 1' '  threads diverge'
like said 'fork: Resource temporarily unavailable' '  where there is no room for another process, too'

# files that are executed by their descriptors
cat >by_descriptor.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char script[] = "#!/bin/sh\necho a script, $1\n";

/* Executes a copy of this file in memory, or the script; then in a child the file, with the next word. */
static void run(const char *file, int flags, int in_path, const char *word)
{
    char bytes[1 << 16], *arguments[] = {"a name", (char *)word, NULL}, *environment[] = {"ONE=1", NULL};
    int from = strcmp(file, "script") ? open(file, O_RDONLY | O_CLOEXEC) : -1, to = from;
    fflush(stdout);
    if (fork() == 0) {
        if (from < 0 || !in_path) {
            ssize_t length = from < 0 ? (ssize_t)sizeof script - 1 : read(from, bytes, sizeof bytes);
            to = memfd_create("in memory", flags);
            if (write(to, from < 0 ? script : bytes, (size_t)length) != length)
                _exit(1);
        } else {
            fcntl(to, F_SETFD, flags ? FD_CLOEXEC : 0);
        }
        syscall(SYS_execveat, to, "", arguments, environment, AT_EMPTY_PATH);
        printf("%s: %s, descriptor %d\n", word, strerror(errno), fcntl(to, F_GETFD));
        fflush(stdout);
        _exit(errno);
    }
    int status;
    wait(&status);
    printf("%s: status %d\n", word, WEXITSTATUS(status));
    close(from);
}

int main(int argc, char **argv)
{
    extern char **environ;
    char path[4096] = "", name[16] = "";
    int open_files = 0;
    if (argc > 1 && argc < 4) {
        prctl(PR_GET_NAME, name);
        for (int fd = 3; fd < 1000; fd++)
            open_files += fcntl(fd, F_GETFD) >= 0;
        ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
        printf("%s, %s: called %s, environment %s, %d more files, %s\n", argv[1], strstr(argv[1], "kept") ? "" : name,
               argv[0], environ[0], open_files, length > 0 ? strrchr(path, '/') : "");
        return 5;
    }
    run("/proc/self/exe", MFD_CLOEXEC, 0, "memory");
    run("/proc/self/exe", 0, 0, "memory, kept open");
    run("./by_descriptor", MFD_CLOEXEC, 1, "a file");
    run("./by_descriptor", 0, 1, "a file, kept open");
    run("./suid", MFD_CLOEXEC, 1, "another user's");
    run("/etc/passwd", MFD_CLOEXEC, 1, "no program");
    run("script", MFD_CLOEXEC, 0, "closed for the interpreter");
    run("script", 0, 0, "kept open");
    return 0;
}
END
cc -w -o by_descriptor by_descriptor.c || exit 1
cc -x c -o suid - <<'END' || exit 1
#include <stdio.h>
#include <unistd.h>
int main(void) { return printf("user %d\n", (int)geteuid()) < 0; }
END
[ "$(id -u)" != 0 ] || chown 12345 suid
chmod 4755 suid
unchanged 'files that are executed by their descriptors' ./by_descriptor

# signals that an instruction raises
cat >faults.c <<'END'
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static sigjmp_buf back;
static const char *what;

static void handle(int number, siginfo_t *info, void *context)
{
    (void)context;
    printf("%s: signal %d, code %d, address %d\n", what, number, info->si_code, info->si_addr != NULL);
    siglongjmp(back, 1);
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
    int numbers[] = {SIGTRAP, SIGILL, SIGFPE, SIGSEGV, SIGBUS};
    volatile int zero = 0;
    for (int i = 0; i < 5; i++)
        sigaction(numbers[i], &action, NULL);
    what = "a breakpoint";
    if (!sigsetjmp(back, 1))
        __asm__ volatile("int3");
    what = "no instruction";
    if (!sigsetjmp(back, 1))
        __asm__ volatile("ud2");
    what = "a division";
    if (!sigsetjmp(back, 1))
        zero = 1 / zero;
    what = "no memory";
    if (!sigsetjmp(back, 1))
        *(volatile int *)16 = 1;
    what = "read-only memory";
    if (!sigsetjmp(back, 1))
        *(volatile char *)"text" = 1;
    return 0;
}
END
cc -w -o faults faults.c || exit 1
unchanged 'signals that an instruction raises' ./faults

# programs that can't run under Valgrind, in the middle of things
printf 'all:\n\t@./suid\n\t@./asan\n' >Makefile
for way in shell make python; do
    case $way in
    shell) unchanged 'in a shell' sh -c './suid; ./asan; true' ;;
    make) unchanged 'in make' make -s ;;
    python) unchanged 'in Python' python3 -c 'import subprocess; print(subprocess.run("./suid", capture_output=True).stdout)' ;;
    esac
    is "$(grep -c 'starts suid, which is not recorded: it is set-user-ID' both)" 1 '  one line tells of it'
done

if bwrap --ro-bind / / true 2>/dev/null; then
    unchanged 'where nothing can be written' bwrap --ro-bind / / sh -c 'echo here; ls -d /'
    is "$(grep -c 'executed a program that is not measured' both)" 1 '  one line tells of it'
else
    skip 'bwrap does not work here'
fi

# directories of more than 900 characters
long=$scratch
for part in 1 2 3 4 5; do
    long=$long/$(printf '%0200d' $part)
done
mkdir -p "$long"
cp refused "$long"
for mode in silent-store memory; do
    (cd "$long" && TMPDIR=$long "$record" -q -m $mode -E exact -o out.$mode -- "$long/refused") >said 2>err
    is "$?$(cat said err)" '0allowed: 0' "$mode in a directory of more than 900 characters"
    is "$(find "$long/out.$mode" -name '*.trace' | wc -l)" 1 '  there is a trace'
done

# --only, --skip
cat >run.sh <<'END'
./refused
ls /nonexistent
sh -c './refused; true'
END
# programs OPTION...: the names of those that are recorded
programs() {
    rm -rf out
    "$record" -q -m silent-store -E exact -o out "$@" -- sh run.sh >said 2>err
    for trace in out/*.trace; do
        "$build/libexec/assay/assay-info" --format json "$trace" | sed -n 's/.*"exe": *"\([^"]*\)".*/\1/p' | head -n 1
    done | sed 's,.*/,,' | sort | uniq -c | xargs
}
is "$(programs --only refused)" '2 refused' '--only: these alone are recorded, whoever starts them'
is "$(cat said)" "$(sh run.sh 2>/dev/null)" '  all do what they do alone'
is "$(programs --only 'ref*' --only ls)" '1 ls 2 refused' '  it may be repeated, and be a pattern'
is "$(programs --only sh --only dash --skip ls --skip refused | sed 's/dash/sh/' | cut -d' ' -f2)" sh '--skip: the others are recorded'
done_testing
