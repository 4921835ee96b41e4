#include "base/shrunk_file.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error_text.h"
#include "base/text.h"

static const char *shrunk_file_program;

/* A number in hexadecimal from *at on, which moves behind it. */
static uintptr_t shrunk_file_parse_hex(const char **at)
{
    uintptr_t value = 0;
    for (const char *digits = "0123456789abcdef", *digit; **at && (digit = strchr(digits, **at)); ++*at)
        value = value << 4 | (uintptr_t)(digit - digits);
    return value;
}

/* Whether a line of /proc/self/maps is of the mapping with this address. */
static bool shrunk_file_line_has(const char *line, uintptr_t address)
{
    uintptr_t begin = shrunk_file_parse_hex(&line);
    if (*line++ != '-')
        return false;
    return address >= begin && address < shrunk_file_parse_hex(&line);
}

/* The path of the file that is mapped at this address, "" if there is none. Async-signal-safe. */
static void shrunk_file_find(uintptr_t address, char path[4096])
{
    char line[4096 + 128], byte;
    size_t length = 0;
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    *path = '\0';
    while (fd >= 0 && !*path && read(fd, &byte, 1) == 1) {
        if (byte != '\n') {
            line[length] = byte;
            length += length + 1 < sizeof line;
            continue;
        }
        line[length] = '\0';
        const char *slash = strchr(line, '/');
        if (slash && shrunk_file_line_has(line, address))
            strncat(path, slash, 4095);
        length = 0;
    }
    if (fd >= 0)
        close(fd);
}

static void shrunk_file_report(int signal, siginfo_t *info, void *context)
{
    static const char what[] = ": became shorter while it was read, or its disk can't be read; run this again\n";
    char path[4096];
    (void)signal;
    (void)context;
    shrunk_file_find((uintptr_t)info->si_addr, path);
    text_tame(path);
    const char *const parts[] = {shrunk_file_program, ": ", *path ? path : "a file", what};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (write(STDERR_FILENO, parts[i], strlen(parts[i])) < 0)
            break;
    _exit(STATUS_BAD);
}

void shrunk_file_watch(const char *program)
{
    struct sigaction action = {.sa_sigaction = shrunk_file_report, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    shrunk_file_program = program;
    sigaction(SIGBUS, &action, NULL);
}
