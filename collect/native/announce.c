/*
 * Tells another process, which writes the trace, what the code of frames is: the first time that a walk meets a file.
 * It asks the dynamic linker in the handler, which is possible without a lock (_dl_find_object), and reads the rest
 * from the file's headers in memory.
 */
#include "collect/native/native.h"

#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

#include "base/system_call.h"
#include "collect/native/code_range.h"

/* Where files begin that have been announced: an open hash table without removal. */
enum { ANNOUNCED_MAX = 4096, ANNOUNCED_FULL = ANNOUNCED_MAX * 3 / 4, PAGE = 4096 };
static _Atomic uint64_t announced[ANNOUNCED_MAX];
static _Atomic unsigned announced_count;
static unsigned long long known_unloads;

/* In the place of one that could not be told. */
enum { FORGOTTEN = 1 };

/* The place of a file if the caller is the first, else NULL. A full table takes no more. */
static _Atomic uint64_t *claim(uint64_t begin)
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

/* The executable part of a file that is mapped from its first byte on. */
static void read_headers(struct pool_module *module, const ElfW(Ehdr) * file, uint64_t end)
{
    uint64_t begin = (uint64_t)(uintptr_t)file, headers = begin + file->e_phoff;
    if (memcmp(file->e_ident, ELFMAG, SELFMAG) != 0 || headers + file->e_phnum * sizeof(ElfW(Phdr)) > end)
        return;
    code_range_read(module, (const ElfW(Phdr) *)(uintptr_t)headers, file->e_phnum);
}

/* The dynamic linker has the names of files as they were asked for. */
static const char *absolute(const char *name, char *out, size_t size)
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

/* False if there is no room at present. */
static bool announce(const struct dl_find_object *found)
{
    char path[POOL_PATH_MAX];
    uint64_t begin = (uint64_t)(uintptr_t)found->dlfo_map_start, end = (uint64_t)(uintptr_t)found->dlfo_map_end;
    const struct link_map *map = found->dlfo_link_map;
    struct pool_module module = {.bias = map->l_addr, .low = begin, .high = end};
    read_headers(&module, found->dlfo_map_start, end);
    module.path = begin == getauxval(AT_SYSINFO_EHDR) ? "[vdso]" : absolute(map->l_name, path, sizeof path);
    return module.low >= module.high || sampler_log_module(&module);
}

void announce_code(uint64_t code, struct announced *last)
{
    struct dl_find_object found;
    if (code - last->begin < last->bytes || _dl_find_object((void *)(uintptr_t)code, &found) != 0)
        return;
    last->begin = (uint64_t)(uintptr_t)found.dlfo_map_start;
    last->bytes = (uint64_t)(uintptr_t)found.dlfo_map_end - last->begin;
    _Atomic uint64_t *place = claim(last->begin);
    if (place && !announce(&found))
        atomic_store(place, FORGOTTEN);
}

static int read_unloads(struct dl_phdr_info *info, size_t size, void *user)
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
    linker_each(read_unloads, &unloads);
    if (unloads == known_unloads || !sampler_is_outside())
        return;
    known_unloads = unloads;
    announce_begin();
    sampler_log_unloaded();
}
