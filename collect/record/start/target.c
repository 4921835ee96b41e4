#include "collect/record/start/target.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/program_image.h"

/* The kernel follows this many interpreters, and reads this much of a script's first line. */
enum { INTERPRETERS_MAX = 5, LINE_MAX_BYTES = 256, SEGMENTS_MAX = 128, SECTIONS_MAX = 1024 };

static int target_check_executable(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return errno;
    if (!S_ISREG(status.st_mode))
        return EACCES;
    return access(path, X_OK) == 0 ? 0 : errno;
}

int target_in_path(const char *name, char path[RECORD_PATH_MAX])
{
    const char *list = getenv("PATH");
    int error = ENOENT;
    if (strchr(name, '/')) {
        snprintf(path, RECORD_PATH_MAX, "%s", name);
        return target_check_executable(path);
    }
    for (const char *at = list ? list : "/bin:/usr/bin"; *name; at++) {
        size_t length = strcspn(at, ":");
        snprintf(path, RECORD_PATH_MAX, "%.*s%s%s", (int)length, at, length ? "/" : "", name);
        int status = target_check_executable(path);
        if (status == EACCES)
            error = EACCES;
        else if (status != ENOENT && status != ENOTDIR) /* found, or not known */
            return status;
        at += length;
        if (!*at)
            break;
    }
    return error;
}

/* ---------------------------------------------------------------------------- scripts -- */

/* The word at *at, terminated in place; *at advances to what follows. NULL: there is none. */
static char *target_next_word(char **at)
{
    char *word = *at + strspn(*at, " \t");
    char *end = word + strcspn(word, " \t");
    *at = *end ? end + 1 : end;
    *end = '\0';
    return *word ? word : NULL;
}

/* The interpreter of the script whose first line this is, into `path`. 0 or an errno value. */
static int target_find_interpreter(char *line, char path[RECORD_PATH_MAX])
{
    char *rest = line;
    const char *interpreter = target_next_word(&rest);
    if (!interpreter)
        return ENOEXEC;
    if (strcmp(basename(interpreter), "env") == 0 && (rest += strspn(rest, " \t"), *rest)) {
        /* `env [-S] [NAME=VALUE] PROGRAM` executes PROGRAM. */
        const char *program = target_next_word(&rest);
        while (program && (*program == '-' || strchr(program, '=')))
            program = target_next_word(&rest);
        return program ? target_in_path(program, path) : ENOEXEC;
    }
    snprintf(path, RECORD_PATH_MAX, "%s", interpreter);
    return target_check_executable(path);
}

/* ---------------------------------------------------------------------------- programs -- */

static long target_read_file(int fd, void *out, size_t bytes, uint64_t at)
{
    return pread(fd, out, bytes, (off_t)at);
}

static void target_read_program(int fd, const Elf64_Ehdr *header, struct target *target)
{
    struct stat status;
    char *real = realpath(target->program, NULL);
    if (real)
        snprintf(target->program, sizeof target->program, "%s", real);
    free(real);
    target->is_32_bit = header->e_ident[EI_CLASS] == ELFCLASS32;
    target->is_foreign = header->e_machine != EM_X86_64 && header->e_machine != EM_386;
    target->is_set_id = (fstat(fd, &status) == 0 && status.st_mode & (S_ISUID | S_ISGID)) ||
                        (geteuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0);
    const char *slash = strrchr(target->program, '/'), *name = slash ? slash + 1 : target->program;
    if (slash) { /* a JDK's launchers have libjli.so near their directory */
        char library[RECORD_PATH_MAX + 32];
        snprintf(library, sizeof library, "%.*s/../lib/libjli.so", (int)(slash - target->program), target->program);
        target->is_java = strcmp(name, "java") == 0 || access(library, F_OK) == 0;
    }
    target->is_recorder =
        strcmp(name, "assay-record") == 0 || strcmp(name, "valgrind") == 0 || strcmp(name, "valgrind.bin") == 0;
    enum program_kind kind;
    target->is_sanitized = program_image_look(target_read_file, fd, &kind) && kind == PROGRAM_SANITIZED;
    if (target->is_32_bit || target->is_foreign)
        return;
    target->is_static = header->e_type == ET_EXEC || header->e_type == ET_DYN;
    for (unsigned i = 0; i < header->e_phnum && i < SEGMENTS_MAX; i++) {
        Elf64_Phdr segment;
        off_t at = (off_t)(header->e_phoff + (uint64_t)i * header->e_phentsize);
        if (pread(fd, &segment, sizeof segment, at) == sizeof segment && segment.p_type == PT_INTERP)
            target->is_static = false;
    }
    target->is_stripped = true;
    for (unsigned i = 0; i < header->e_shnum && i < SECTIONS_MAX; i++) {
        Elf64_Shdr section;
        off_t at = (off_t)(header->e_shoff + (uint64_t)i * header->e_shentsize);
        if (pread(fd, &section, sizeof section, at) == sizeof section && section.sh_type == SHT_SYMTAB)
            target->is_stripped = false;
    }
}

void target_find(const char *command, struct target *target)
{
    *target = (struct target){0};
    target->error = target_in_path(command, target->program);
    for (int i = 0; i <= INTERPRETERS_MAX && target->error == 0; i++) {
        char start[LINE_MAX_BYTES + 1] = "";
        Elf64_Ehdr header;
        int fd = open(target->program, O_RDONLY | O_CLOEXEC);
        ssize_t length = fd < 0 ? -1 : pread(fd, start, LINE_MAX_BYTES, 0);
        bool is_elf = length >= (ssize_t)sizeof header && memcmp(start, ELFMAG, SELFMAG) == 0;
        if (is_elf) {
            memcpy(&header, start, sizeof header);
            target_read_program(fd, &header, target);
        }
        if (fd >= 0)
            close(fd);
        if (is_elf || length < 0) /* executable but not readable: the execution will show */
            return;
        /* A script: its interpreter is next. */
        start[strcspn(start, "\n")] = '\0';
        if (strncmp(start, "#!", 2) == 0)
            target->error = target_find_interpreter(start + 2, target->program);
        else
            strcpy(target->program, "/bin/sh"); /* as execvp() does */
    }
    if (target->error == 0)
        target->error = ELOOP;
}
