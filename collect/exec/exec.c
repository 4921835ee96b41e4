/*
 * exec.c - lib/assay/assay-exec GO REPORT MASK COMMAND [ARGUMENT...]: the step between the recorder and a command whose
 * memory is measured.
 *
 * To the kernel, what a process needs before it executes a program is part of what the program needs (getrusage(2)). A
 * child of the recorder begins with the recorder's memory; this program has hardly any. It makes a child of its own
 * parent (CLONE_PARENT), writes its id to the descriptor REPORT, and exits. That child waits for a byte from GO,
 * restores the signal mask (hexadecimal), and executes the command as execvp(3) does, or writes the errno value to
 * REPORT. There is no libc, whose start alone would take more memory than some commands.
 */
#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

enum { PATH_BYTES = 4096, NOT_STARTED = 127 };

static long exec_system_call(long number, long a, long b, long c, long d, long e)
{
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                     : "rcx", "r11", "memory");
    return result;
}

_Noreturn static void exec_exit(int status)
{
    for (;;)
        exec_system_call(__NR_exit_group, status, 0, 0, 0, 0);
}

/* The whole text is a number in this base. */
static unsigned long exec_number(const char *text, unsigned base)
{
    unsigned long value = 0;
    for (; *text; text++)
        value = value * base + (unsigned)(*text <= '9' ? *text - '0' : *text - 'a' + 10);
    return value;
}

/* Executes a file; a script without an interpreter line by /bin/sh. words[-1] may be overwritten. Returns errno. */
static int exec_file(const char *path, const char **words, char **environment)
{
    long error = exec_system_call(__NR_execve, (long)path, (long)words, (long)environment, 0, 0);
    if (error == -ENOEXEC) {
        words[-1] = "/bin/sh";
        words[0] = path;
        error = exec_system_call(__NR_execve, (long)words[-1], (long)(words - 1), (long)environment, 0, 0);
    }
    return (int)-error;
}

static bool exec_is_in_path(const char *name)
{
    while (*name && *name != '/')
        name++;
    return *name == '\0';
}

static const char *exec_search_path(char **environment)
{
    static const char key[] = "PATH=";
    for (; *environment; environment++) {
        size_t i = 0;
        while (key[i] && (*environment)[i] == key[i])
            i++;
        if (!key[i])
            return *environment + i;
    }
    return "/bin:/usr/bin";
}

/* As execvp(3): errors that say that a folder lacks the file continue the search. Returns errno. */
static int exec_search(const char **words, char **environment)
{
    static char path[PATH_BYTES];
    const char *name = words[0];
    int found = ENOENT;
    if (!*name || !exec_is_in_path(name))
        return *name ? exec_file(name, words, environment) : ENOENT;
    for (const char *folder = exec_search_path(environment);; folder++) {
        size_t length = 0, i = 0;
        for (; *folder && *folder != ':' && length < PATH_BYTES - 2; folder++)
            path[length++] = *folder;
        if (length > 0)
            path[length++] = '/';
        for (; name[i] && length < PATH_BYTES - 1; i++)
            path[length++] = name[i];
        path[length] = '\0';
        if (!name[i] && (!*folder || *folder == ':')) {
            int error = exec_file(path, words, environment);
            if (error == EACCES)
                found = EACCES;
            else if (error != ENOENT && error != ESTALE && error != ENOTDIR && error != ENODEV && error != ETIMEDOUT)
                return error;
        }
        while (*folder && *folder != ':')
            folder++;
        if (!*folder)
            return found;
    }
}

/* In the child: waits, and becomes the command. */
_Noreturn static void exec_command(int go, int report, unsigned long mask, const char **words, char **environment)
{
    char byte;
    if (exec_system_call(__NR_read, go, (long)&byte, 1, 0, 0) != 1)
        exec_exit(NOT_STARTED);
    exec_system_call(__NR_close, go, 0, 0, 0, 0);
    exec_system_call(__NR_fcntl, report, F_SETFD, FD_CLOEXEC, 0, 0);
    exec_system_call(__NR_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, sizeof mask, 0);
    int error = exec_search(words, environment);
    exec_system_call(__NR_write, report, (long)&error, sizeof error, 0, 0);
    exec_exit(NOT_STARTED);
}

/* `stack` is what the kernel passes: the number of words, the words, NULL, the environment. */
__attribute__((used)) _Noreturn static void exec_main(long *stack)
{
    enum { GO = 1, REPORT, MASK, COMMAND };
    const char **words = (const char **)(stack + 1);
    char **environment = (char **)(words + stack[0] + 1);
    if (stack[0] <= COMMAND)
        exec_exit(NOT_STARTED);
    int go = (int)exec_number(words[GO], 10), report = (int)exec_number(words[REPORT], 10);
    unsigned long mask = exec_number(words[MASK], 16);
    long pid = exec_system_call(__NR_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    if (pid == 0)
        exec_command(go, report, mask, words + COMMAND, environment);
    int number = (int)pid; /* or −errno */
    exec_system_call(__NR_write, report, (long)&number, sizeof number, 0, 0);
    exec_exit(0);
}

__asm__(".globl _start\n"
        "_start:\n"
        "    xor %ebp, %ebp\n"
        "    mov %rsp, %rdi\n"
        "    and $-16, %rsp\n"
        "    call exec_main\n");
