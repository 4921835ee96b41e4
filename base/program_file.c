#include "base/program_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/program_image.h"
#include "base/transfer.h"

/* The kernel follows this many interpreters, and reads this much of a script's first line. */
enum { INTERPRETERS_MAX = 5, LINE_BYTES = 256, PATH_BYTES = 1024 };

static long program_file_read(int fd, void *out, size_t bytes, uint64_t at)
{
    return transfer_read_at(fd, out, bytes, (off_t)at);
}

static enum program_preload program_kind_preload(enum program_kind kind, int fd, const char **why)
{
    static const struct {
        const char *why;
        enum program_preload preload;
    } kinds[] = {[PROGRAM_FOREIGN] = {"it is not a 64-bit program for x86-64", PROGRAM_REFUSES},
                 [PROGRAM_STATIC] = {"it is statically linked", PROGRAM_IGNORES},
                 [PROGRAM_OTHER_LIBC] = {"it does not use the GNU C library", PROGRAM_REFUSES},
                 [PROGRAM_SANITIZED] = {"it was compiled with a sanitizer", PROGRAM_REFUSES}};
    if (kind != PROGRAM_ORDINARY) {
        *why = kinds[kind].why;
        return kinds[kind].preload;
    }
    /* If the kernel gives it other rights than this process has, the dynamic linker takes no advice. */
    struct stat status;
    *why = "it is set-user-ID, set-group-ID or has file capabilities";
    bool privileged = fstat(fd, &status) == 0 &&
                      ((status.st_mode & S_ISUID && status.st_uid != getuid()) ||
                       (status.st_mode & S_ISGID && status.st_mode & S_IXGRP && status.st_gid != getgid()) ||
                       (getuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0));
    return privileged ? PROGRAM_IGNORES : PROGRAM_PRELOADS;
}

/* The interpreter that a script's first line names, into path[PATH_BYTES]; false if it names none. With env it
 * is the program that env would execute. */
static bool script_parse_interpreter(char *line, char *path)
{
    char *rest, *word = strncmp(line, "#!", 2) == 0 ? strtok_r(line + 2, " \t\n", &rest) : NULL;
    if (!word)
        return false;
    const char *slash = strrchr(word, '/');
    strncpy(path, word, PATH_BYTES - 1);
    if (slash && strcmp(slash, "/env") == 0)
        while ((word = strtok_r(NULL, " \t\n", &rest)))
            if (*word != '-' && !strchr(word, '=')) {
                strncpy(path, word, PATH_BYTES - 1);
                break;
            }
    return true;
}

/* Opens what execvp() finds. */
static int program_file_open_in_path(const char *name)
{
    const char *list = strchr(name, '/') ? NULL : getenv("PATH");
    if (strchr(name, '/'))
        return open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    for (const char *at = list ? list : "/bin:/usr/bin"; *name; at++) {
        char path[PATH_BYTES];
        size_t length = strcspn(at, ":"), bytes = strlen(name);
        if (length + bytes + 2 <= sizeof path) {
            memcpy(path, at, length);
            path[length] = '/';
            memcpy(path + length + (length > 0), name, bytes + 1);
            if (access(path, X_OK) == 0)
                return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        }
        at += length;
        if (!*at)
            break;
    }
    return -1;
}

static enum program_preload program_file_examine(int fd, const char **why)
{
    char path[PATH_BYTES] = "", line[LINE_BYTES + 1];
    enum program_preload result = PROGRAM_PRELOADS;
    for (int i = 0; fd >= 0 && i < INTERPRETERS_MAX; i++) {
        struct stat status;
        enum program_kind kind;
        bool is_file = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
        ssize_t length = is_file ? transfer_read_at(fd, line, LINE_BYTES, 0) : 0;
        line[length > 0 ? length : 0] = '\0';
        bool is_elf = is_file && program_image_look(program_file_read, fd, &kind);
        if (is_elf)
            result = program_kind_preload(kind, fd, why);
        bool more = !is_elf && script_parse_interpreter(line, path);
        close(fd);
        fd = more ? program_file_open_in_path(path) : -1;
    }
    if (fd >= 0)
        close(fd);
    return result;
}

enum program_preload program_file_preload(const char *path, const char **why)
{
    int saved = errno, fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    enum program_preload result = fd < 0 ? PROGRAM_PRELOADS : program_file_examine(fd, why);
    errno = saved;
    return result;
}

enum program_preload program_file_preload_of_name(const char *name, const char **why)
{
    int saved = errno, fd = program_file_open_in_path(name);
    enum program_preload result = fd < 0 ? PROGRAM_PRELOADS : program_file_examine(fd, why);
    errno = saved;
    return result;
}
