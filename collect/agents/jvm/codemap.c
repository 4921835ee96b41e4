/*
 * codemap.c - one byte for every 64 bytes of the code cache says whether generated code there is a stub or the
 * interpreter. HotSpot allocates its code cache in segments of at least 64 bytes, so no granule is shared; the map is
 * untouched (and so takes no memory) where the JIT compiler's methods are.
 */
#include "collect/agents/jvm/agent.h"

#include <link.h>
#include <string.h>
#include <sys/mman.h>

enum { GRANULE = 64 };

static struct {
    uintptr_t jvm_low, jvm_high;
    uintptr_t low;
    _Atomic uintptr_t high; /* published last: 0 until the map exists */
    _Atomic unsigned char *kinds;
} codemap;

struct codemap_search {
    uintptr_t inside, low, high;
};

static int codemap_match_library(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    struct codemap_search *search = user;
    uintptr_t low = UINTPTR_MAX, high = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        uintptr_t start = info->dlpi_addr + segment->p_vaddr;
        low = start < low ? start : low;
        high = start + segment->p_memsz > high ? start + segment->p_memsz : high;
    }
    if (search->inside < low || search->inside >= high)
        return 0;
    search->low = low;
    search->high = high;
    return 1;
}

bool codemap_init(const void *in_libjvm)
{
    struct codemap_search search = {.inside = (uintptr_t)in_libjvm};
    if (!dl_iterate_phdr(codemap_match_library, &search))
        return false;
    codemap.jvm_low = search.low;
    codemap.jvm_high = search.high;
    return true;
}

void codemap_add(const char *name, const void *start, size_t bytes)
{
    if (!atomic_load(&codemap.high)) { /* the code cache exists from the first generated code on, not yet when
                                              the agent is loaded */
        const uintptr_t *low = vmstructs_static("CodeCache", "_low_bound");
        const uintptr_t *high = vmstructs_static("CodeCache", "_high_bound");
        if (!low || !high || !*low || *high <= *low)
            return;
        void *memory = mmap(NULL, (*high - *low) / GRANULE + 1, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED)
            return;
        codemap.kinds = memory;
        codemap.low = *low;
        atomic_store(&codemap.high, *high);
    }
    uintptr_t from = (uintptr_t)start, to = from + bytes;
    if (!bytes || from < codemap.low || to > atomic_load(&codemap.high))
        return;
    unsigned char kind = strcmp(name, "Interpreter") == 0 ? CODE_INTERPRETER : CODE_STUB;
    for (size_t i = (from - codemap.low) / GRANULE; i <= (to - 1 - codemap.low) / GRANULE; i++)
        atomic_store_explicit(&codemap.kinds[i], kind, memory_order_relaxed);
}

enum code_kind codemap_kind(uintptr_t pc)
{
    if (pc >= codemap.jvm_low && pc < codemap.jvm_high)
        return CODE_LIBJVM;
    uintptr_t high = atomic_load(&codemap.high);
    if (!high || pc < codemap.low || pc >= high)
        return CODE_OTHER;
    unsigned char kind = atomic_load_explicit(&codemap.kinds[(pc - codemap.low) / GRANULE], memory_order_relaxed);
    return kind ? (enum code_kind)kind : CODE_COMPILED;
}
