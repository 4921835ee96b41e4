#include "base/program_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The kernel follows this many interpreters, and reads this much of a script's first line. */
enum { INTERPRETERS_MAX = 5, LINE_BYTES = 256, PATH_BYTES = 1024, SEGMENTS_MAX = 32, ENTRIES_MAX = 512 };

/* Names of sanitizers' libraries, and of functions of those that are linked statically. */
static const char *const sanitizers[] = {"libasan.so",  "libtsan.so",  "liblsan.so",  "libhwasan.so", "__asan_init",
                                         "__tsan_init", "__msan_init", "__lsan_init", "__hwasan_init"};

struct image {
    int fd;
    Elf64_Ehdr header;
    Elf64_Phdr segments[SEGMENTS_MAX];
    size_t segment_count;
};

static bool read_at(int fd, void *out, size_t bytes, uint64_t at)
{
    return pread(fd, out, bytes, (off_t)at) == (ssize_t)bytes;
}

static const Elf64_Phdr *segment_of(const struct image *image, unsigned type)
{
    for (size_t i = 0; i < image->segment_count; i++)
        if (image->segments[i].p_type == type)
            return &image->segments[i];
    return NULL;
}

/* The place in the file of an address of the program; 0: it is not in the file. */
static uint64_t offset_of(const struct image *image, uint64_t address)
{
    for (size_t i = 0; i < image->segment_count; i++) {
        const Elf64_Phdr *segment = &image->segments[i];
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr && address - segment->p_vaddr < segment->p_filesz)
            return segment->p_offset + (address - segment->p_vaddr);
    }
    return 0;
}

/* What its dynamic section says. */
struct needs {
    size_t libraries;
    uint64_t names, names_bytes; /* where the names are in the file */
};

static struct needs needs_of(const struct image *image)
{
    const Elf64_Phdr *dynamic = segment_of(image, PT_DYNAMIC);
    Elf64_Dyn entry = {.d_tag = DT_DEBUG};
    struct needs needs = {0};
    uint64_t address = 0;
    for (uint64_t i = 0; dynamic && entry.d_tag != DT_NULL && i < ENTRIES_MAX; i++) {
        if (!read_at(image->fd, &entry, sizeof entry, dynamic->p_offset + i * sizeof entry))
            break;
        needs.libraries += entry.d_tag == DT_NEEDED;
        if (entry.d_tag == DT_STRTAB)
            address = entry.d_un.d_ptr;
        if (entry.d_tag == DT_STRSZ)
            needs.names_bytes = entry.d_un.d_val;
    }
    needs.names = offset_of(image, address);
    return needs;
}

/* Whether one of the names is a sanitizer's. They are read in parts that overlap by more than the longest of them. */
static bool is_sanitized(const struct image *image, const struct needs *needs)
{
    enum { OVERLAP = 32, PART = 1024 };
    char part[PART];
    for (uint64_t at = 0; needs->names != 0 && at < needs->names_bytes; at += PART - OVERLAP) {
        uint64_t rest = needs->names_bytes - at;
        ssize_t length = pread(image->fd, part, rest < PART ? rest : PART, (off_t)(needs->names + at));
        if (length <= 0)
            break;
        for (size_t i = 0; i < sizeof sanitizers / sizeof *sanitizers; i++)
            if (memmem(part, (size_t)length, sanitizers[i], strlen(sanitizers[i])))
                return true;
    }
    return false;
}

/* Whether the kernel gives it other rights than this process has: the dynamic linker then takes no advice. */
static bool is_privileged(const struct image *image)
{
    struct stat status;
    if (fstat(image->fd, &status) != 0)
        return false;
    return (status.st_mode & S_ISUID && status.st_uid != getuid()) ||
           (status.st_mode & S_ISGID && status.st_mode & S_IXGRP && status.st_gid != getgid()) ||
           (getuid() != 0 && fgetxattr(image->fd, "security.capability", NULL, 0) > 0);
}

/* Other C libraries name their dynamic linkers after themselves. */
static bool is_of_glibc(const struct image *image)
{
    static const char *const others[] = {"ld-musl", "ld-uClibc", "ld64-uClibc", "linker"};
    char interpreter[LINE_BYTES] = "";
    const Elf64_Phdr *segment = segment_of(image, PT_INTERP);
    size_t bytes = segment->p_filesz < sizeof interpreter ? segment->p_filesz : sizeof interpreter - 1;
    if (!read_at(image->fd, interpreter, bytes, segment->p_offset))
        return true;
    const char *slash = strrchr(interpreter, '/'), *name = slash ? slash + 1 : interpreter;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(name, others[i], strlen(others[i])) == 0)
            return false;
    return true;
}

static enum program_preload preload_of(struct image *image, const char **why)
{
    const Elf64_Ehdr *header = &image->header;
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_X86_64) {
        *why = "it is not a 64-bit program for x86-64";
        return PROGRAM_REFUSES;
    }
    image->segment_count = header->e_phnum < SEGMENTS_MAX ? header->e_phnum : SEGMENTS_MAX;
    if (header->e_phentsize != sizeof *image->segments ||
        !read_at(image->fd, image->segments, image->segment_count * sizeof *image->segments, header->e_phoff))
        return PROGRAM_PRELOADS;
    if (!segment_of(image, PT_INTERP)) {
        *why = "it is statically linked";
        return PROGRAM_IGNORES;
    }
    struct needs needs = needs_of(image);
    /* One without libraries has its own idea of what a thread is, as Go's runtime without cgo. */
    if (!is_of_glibc(image) || needs.libraries == 0) {
        *why = "it does not use the GNU C library";
        return PROGRAM_REFUSES;
    }
    if (is_sanitized(image, &needs)) {
        *why = "it was compiled with a sanitizer";
        return PROGRAM_REFUSES;
    }
    *why = "it is set-user-ID, set-group-ID or has file capabilities";
    return is_privileged(image) ? PROGRAM_IGNORES : PROGRAM_PRELOADS;
}

/* The interpreter that a script's first line names, into path[PATH_BYTES]; false if that is no such line. With env it
 * is the program that env would execute. */
static bool take_interpreter(char *line, char *path)
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
static int open_name(const char *name)
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

static enum program_preload look_into(int fd, const char **why)
{
    char path[PATH_BYTES] = "", line[LINE_BYTES + 1];
    enum program_preload result = PROGRAM_PRELOADS;
    struct image image = {.fd = fd};
    for (int i = 0; image.fd >= 0 && i < INTERPRETERS_MAX; i++) {
        struct stat status;
        bool is_file = fstat(image.fd, &status) == 0 && S_ISREG(status.st_mode);
        ssize_t length = is_file ? pread(image.fd, line, LINE_BYTES, 0) : 0;
        line[length > 0 ? length : 0] = '\0';
        bool is_elf = length >= (ssize_t)sizeof image.header && memcmp(line, ELFMAG, SELFMAG) == 0;
        if (is_elf) {
            memcpy(&image.header, line, sizeof image.header);
            result = preload_of(&image, why);
        }
        bool more = !is_elf && take_interpreter(line, path);
        close(image.fd);
        image.fd = more ? open_name(path) : -1;
    }
    if (image.fd >= 0)
        close(image.fd);
    return result;
}

enum program_preload program_file_preload(const char *path, const char **why)
{
    int saved = errno, fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    enum program_preload result = fd < 0 ? PROGRAM_PRELOADS : look_into(fd, why);
    errno = saved;
    return result;
}

enum program_preload program_file_preload_of_name(const char *name, const char **why)
{
    int saved = errno, fd = open_name(name);
    enum program_preload result = fd < 0 ? PROGRAM_PRELOADS : look_into(fd, why);
    errno = saved;
    return result;
}
