/*
 * Reports to another process, which writes the trace, what the code of frames is: the first time that a walk meets a
 * file. It asks the dynamic linker in the handler, which is possible without a lock (_dl_find_object), and reads the
 * rest from the file's headers in memory.
 */
#include "collect/agents/native/native.h"

#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/system_call.h"
#include "collect/agents/native/code_range.h"

/* Where files begin that have been announced: an open hash table without removal. */
enum { ANNOUNCED_MAX = 4096, ANNOUNCED_FULL = ANNOUNCED_MAX * 3 / 4, PAGE = 4096 };
static _Atomic uint64_t announced[ANNOUNCED_MAX];
static _Atomic unsigned announced_count;
static unsigned long long known_unloads;

/* In the location of one that could not be announced_files. */
enum { FORGOTTEN = 1 };

/* The location of a file if the caller is the first, else NULL. A full table takes no more. */
static _Atomic uint64_t *announce_claim(uint64_t begin)
{
    for (size_t at = begin / PAGE % ANNOUNCED_MAX;; at = (at + 1) % ANNOUNCED_MAX) {
        uint64_t found = atomic_load(&announced[at]);
        if (found == begin)
            return NULL;
        if (found != 0)
            continue;
        if (atomic_load(&announced_count) >= ANNOUNCED_FULL)
            return NULL;
        if (atomic_compare_exchange_strong(&announced[at], &found, begin)) {
            atomic_fetch_add(&announced_count, 1);
            return &announced[at];
        }
        if (found == begin)
            return NULL;
    }
}

/* The dynamic linker has the names of files as they were asked for. */
static const char *announce_absolute_path(const char *name, char *out, size_t size)
{
    if (name[0] == '\0' || name[0] == '/')
        return name;
    long length = system_call(SYS_getcwd, (long)out, (long)size, 0, 0, 0, 0); /* with the NUL */
    if (length <= 0 || (size_t)length + 1 + strlen(name) > size)
        return name;
    out[length - 1] = '/';
    strcpy(out + length, name);
    return out;
}

/* False if there is no space at present. */
static bool announce_object(const struct dl_find_object *found)
{
    char path[POOL_PATH_MAX];
    const ElfW(Ehdr) *file = found->dlfo_map_start;
    uint64_t begin = (uint64_t)(uintptr_t)file, end = (uint64_t)(uintptr_t)found->dlfo_map_end;
    uint64_t headers = begin + file->e_phoff;
    const struct link_map *map = found->dlfo_link_map;
    struct pool_module module = {.bias = map->l_addr, .low = begin, .high = end};
    /* The executable part of a file that is mapped from its first byte on. */
    if (memcmp(file->e_ident, ELFMAG, SELFMAG) == 0 && headers + file->e_phnum * sizeof(ElfW(Phdr)) <= end)
        code_range_read(&module, (const ElfW(Phdr) *)(uintptr_t)headers, file->e_phnum);
    module.path =
        begin == getauxval(AT_SYSINFO_EHDR) ? "[vdso]" : announce_absolute_path(map->l_name, path, sizeof path);
    return module.low >= module.high || sampler_log_module(&module);
}

void announce_code(uint64_t code, struct announced *last)
{
    struct dl_find_object found;
    if (code - last->begin < last->bytes || _dl_find_object((void *)(uintptr_t)code, &found) != 0)
        return;
    last->begin = (uint64_t)(uintptr_t)found.dlfo_map_start;
    last->bytes = (uint64_t)(uintptr_t)found.dlfo_map_end - last->begin;
    _Atomic uint64_t *location = announce_claim(last->begin);
    if (location && !announce_object(&found))
        atomic_store(location, FORGOTTEN);
}

/* What has been announced_files of in mode methods, for the children of forks. */
static struct {
    struct pool_module *modules;
    size_t count;
} announced_files;

static int announce_read_unloads(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    *(unsigned long long *)user = info->dlpi_subs;
    return 1;
}

void announce_begin(void)
{
    for (size_t i = 0; i < ANNOUNCED_MAX && atomic_load(&announced_count) > 0; i++)
        atomic_store(&announced[i], 0);
    atomic_store(&announced_count, 0);
}

void announce_unloaded(void)
{
    unsigned long long unloads = known_unloads;
    linker_each(announce_read_unloads, &unloads);
    if (unloads == known_unloads || !sampler_is_outside())
        return;
    known_unloads = unloads;
    announce_begin();
    sampler_log_unloaded();
    if (announced_files.count > 0) {
        for (size_t i = 0; i < announced_files.count; i++)
            free((char *)(uintptr_t)announced_files.modules[i].path);
        announced_files.count = 0;
        announce_files();
    }
}

/* ---------------------------------------------------------------------------- mode methods -- */

bool announce_at_entry;

void announce_entered(uint64_t code)
{
    static _Thread_local struct announced last __attribute__((tls_model("initial-exec")));
    announce_code(code, &last);
}

/* Waits for space, but not for ever: nobody may be there who makes some. */
static void announce_module(const struct pool_module *module)
{
    enum { TRIES = 1000, PAUSE_NS = 1000000 };
    for (unsigned i = 0; i < TRIES && !sampler_log_module(module); i++) {
        methods_show();
        pool_ring_bell();
        system_call(SYS_nanosleep, (long)&(struct timespec){.tv_nsec = PAUSE_NS}, 0, 0, 0, 0, 0);
    }
}

static int announce_file(struct dl_phdr_info *info, size_t size, void *nothing)
{
    char path[POOL_PATH_MAX];
    struct pool_module module = {.bias = info->dlpi_addr};
    uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
    (void)size;
    (void)nothing;
    known_unloads = info->dlpi_subs;
    code_range_read(&module, info->dlpi_phdr, info->dlpi_phnum);
    if (module.low >= module.high)
        return 0;
    for (size_t i = announced_files.count; i-- > 0;)
        if (announced_files.modules[i].low == module.low && announced_files.modules[i].high == module.high)
            return 0;
    bool is_vdso = vdso >= info->dlpi_addr && vdso < module.high;
    module.path = is_vdso ? "[vdso]" : announce_absolute_path(info->dlpi_name, path, sizeof path);
    struct pool_module *grown = reallocarray(announced_files.modules, announced_files.count + 1, sizeof *grown);
    if (grown) {
        announced_files.modules = grown;
        grown[announced_files.count] = module;
        grown[announced_files.count].path = strdup(module.path);
        announced_files.count += grown[announced_files.count].path != NULL;
    }
    announce_module(&module);
    return 0;
}

void announce_files(void)
{
    linker_each(announce_file, NULL);
}

void announce_files_again(void)
{
    for (size_t i = 0; i < announced_files.count; i++)
        announce_module(&announced_files.modules[i]);
}
