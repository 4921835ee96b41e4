/* Gives functions that have room for it a probe, and takes it out. */
#include "collect/agents/native/chosen.h"
#include "collect/agents/native/patch.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collect/agents/native/native.h"
#include "collect/agents/native/nops.h"
#include "collect/agents/native/select.h"
#include "collect/chosen_functions/symbol_table.h"

enum { STUB_BYTES = 16, HEAD_BYTES = 16 };

extern char assay_patch_enter[] __attribute__((visibility("hidden")));
extern char assay_patch_empty[] __attribute__((visibility("hidden")));
extern char assay_patch_empty_rest[] __attribute__((visibility("hidden")));

static struct patch_function empty;
struct patch_function *patch_functions = &empty;
static size_t function_count = 1;

/* Returns where the jump at `at` leads; 0: there is none. */
static uint64_t patch_jump_target(uint64_t at)
{
    enum { JUMP = 0xe9 };
    const uint8_t *code = (const uint8_t *)(uintptr_t)at;
    int32_t distance;
    memcpy(&distance, code + 1, sizeof distance);
    return code[0] == JUMP ? at + NOPS_JUMP_BYTES + (uint64_t)(int64_t)distance : 0;
}

bool patch_may_hook(const struct shadow_entry *call, uint64_t function)
{
    enum { PUSH = 0x68, FAR = 32 };
    uint64_t at = function + (nops_is_endbr(function) ? NOPS_ENDBR_BYTES : 0);
    if (at == call->method)
        return true;
    if (call->hooked == SHADOW_WHOLE)
        return false;
    /* Whether the function has or had a probe. */
    uint64_t stub = patch_jump_target(at);
    const uint8_t *code = (const uint8_t *)(uintptr_t)stub;
    uint32_t number;
    if (stub == 0 || stub % STUB_BYTES != 0)
        return false;
    if (code[0] != PUSH) /* it was taken out */
        return patch_jump_target(stub) - at < FAR;
    memcpy(&number, code + 1, sizeof number);
    return number < function_count && patch_functions[number].stub == stub;
}

void patch_put_jump(uint8_t *code, uint64_t at, uint64_t to)
{
    int32_t distance = (int32_t)(to - at - NOPS_JUMP_BYTES);
    code[0] = 0xe9;
    memcpy(code + 1, &distance, sizeof distance);
}

static void patch_put_push(uint8_t *code, uint32_t number)
{
    code[0] = 0x68;
    memcpy(code + 1, &number, sizeof number);
}

/* ---------------------------------------------------------------------------- patching -- */

/* Allocates memory for stubs within reach of jumps in the file's code. */
static uint8_t *patch_map_near(const struct nops_file *file, size_t bytes)
{
    enum { STEP = 1 << 16, REACH = 0x7ff00000 };
    for (uint64_t distance = bytes; distance < REACH - (file->high - file->low) && distance < file->low;
         distance += STEP) {
        void *wanted = (void *)(uintptr_t)((file->low - distance) & ~(uint64_t)(STEP - 1));
        void *got = mmap(wanted, bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (got == wanted)
            return got;
        if (got != MAP_FAILED)
            munmap(got, bytes);
    }
    return NULL;
}

static bool patch_make_writable(const struct nops_file *file, bool writable)
{
    for (size_t i = 0; i < file->info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &file->info->dlpi_phdr[i];
        uint64_t start = file->info->dlpi_addr + segment->p_vaddr, page = start & ~UINT64_C(4095);
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        int usual = PROT_EXEC | (segment->p_flags & PF_R ? PROT_READ : 0) | (segment->p_flags & PF_W ? PROT_WRITE : 0);
        if (mprotect((void *)(uintptr_t)page, start + segment->p_memsz - page,
                     writable ? PROT_READ | PROT_WRITE | PROT_EXEC : usual) != 0)
            return false;
    }
    return true;
}

static void patch_report_unrecorded(const struct nops_file *file, size_t count, const char *why)
{
    sampler_report("%s: %zu function%s not recorded: %s", file->name, count, count == 1 ? " is" : "s are", why);
}

/* Probes may still be reading the old table, so it is never freed. Each table is at least twice as long as the one
 * before: all old ones together are no longer than the present one. */
static bool patch_reserve_functions(size_t more)
{
    static size_t capacity = 1;
    if (function_count + more <= capacity)
        return true;
    size_t grown_capacity = 2 * (function_count + more);
    struct patch_function *grown = calloc(grown_capacity, sizeof *grown);
    if (!grown)
        return false;
    memcpy(grown, patch_functions, function_count * sizeof *grown);
    __atomic_store_n(&patch_functions, grown, __ATOMIC_RELEASE);
    capacity = grown_capacity;
    return true;
}

/* Known files: where their code and its stubs are. */
static struct met {
    uint64_t low, high;
    uint8_t *stubs;
    size_t stub_bytes;
    bool there; /* at the last look */
} * met;
static size_t met_count;

static struct met *patch_find_file(uint64_t low)
{
    for (size_t i = 0; i < met_count; i++)
        if (met[i].low == low)
            return &met[i];
    return NULL;
}

/* The compiler's copies of functions have names with a dot: f.constprop.0. Without symbols any function may be one. */
static bool patch_function_is_whole(const struct symbol_table *table, uint64_t position)
{
    const struct symbol *symbols = table->symbols;
    size_t at = symbol_table_above(table, position);
    bool whole = false;
    if (at == 0 || position - symbols[at - 1].begin >= symbols[at - 1].bytes)
        return false;
    for (uint64_t begin = symbols[at - 1].begin; at > 0 && symbols[at - 1].begin == begin; at--)
        whole |= strchr(symbols[at - 1].name, '.') == NULL;
    return whole;
}

static void patch_functions_of_file(const struct nops_file *file, struct met *here)
{
    struct symbol_table table = {0};
    size_t few = 0, bytes = HEAD_BYTES + file->location_count * STUB_BYTES;
    uint8_t *head = patch_reserve_functions(file->location_count) ? patch_map_near(file, bytes) : NULL;
    if (!head || !patch_make_writable(file, true)) {
        patch_report_unrecorded(file, file->location_count,
                                head ? "their code can't be changed here" : "there is no memory near their code");
        return;
    }
    assert((uintptr_t)head % STUB_BYTES == 0);
    here->stubs = head;
    here->stub_bytes = bytes;
    static const uint8_t indirect[] = {0xff, 0x25, 0, 0, 0, 0}; /* jmp *0(%rip) */
    uint64_t target = (uint64_t)(uintptr_t)assay_patch_enter;
    memcpy(head, indirect, sizeof indirect);
    memcpy(head + sizeof indirect, &target, sizeof target);
    if (nops_has_name(file, "__cyg_profile_func_enter"))
        symbol_table_read(*file->info->dlpi_name ? file->info->dlpi_name : "/proc/self/exe", &table);
    for (size_t i = 0; i < file->location_count; i++) {
        uint64_t location = file->locations[i];
        if (location < file->low || location >= file->high) /* in a section that the linker has discarded */
            continue;
        uint64_t nops = nops_find(file, location), resume = nops_resume(nops);
        if (!select_has(nops))
            continue;
        if (!resume) {
            few++;
            continue;
        }
        uint8_t *stub = head + HEAD_BYTES + i * STUB_BYTES;
        bool whole = patch_function_is_whole(&table, nops - file->info->dlpi_addr);
        size_t number = function_count++;
        patch_functions[number] = (struct patch_function){nops, resume, (uint64_t)(uintptr_t)stub, false, whole};
        patch_put_push(stub, (uint32_t)number);
        patch_put_jump(stub + NOPS_JUMP_BYTES, (uint64_t)(uintptr_t)stub + NOPS_JUMP_BYTES, (uint64_t)(uintptr_t)head);
        patch_put_jump((uint8_t *)(uintptr_t)nops, nops, (uint64_t)(uintptr_t)stub);
    }
    symbol_table_free(&table);
    patch_make_writable(file, false);
    mprotect(head, bytes, PROT_READ | PROT_EXEC);
    if (few > 0)
        patch_report_unrecorded(file, few,
                                "they have less than 5 bytes for a probe; compile with -fpatchable-function-entry=5");
}

static void patch_examine_file(const struct dl_phdr_info *info, bool may_patch)
{
    struct nops_file file = nops_read(info);
    struct met *grown = patch_find_file(file.low) ? NULL : reallocarray(met, met_count + 1, sizeof *met);
    if (!grown)
        return;
    met = grown;
    struct met *here = &met[met_count++];
    *here = (struct met){.low = file.low, .high = file.high};
    nops_read_locations(&file);
    if (file.location_count > 0 && may_patch)
        patch_functions_of_file(&file, here);
    else if (file.location_count > 0)
        patch_report_unrecorded(&file, file.location_count,
                                "the file was loaded while the program ran; name it in LD_PRELOAD to load it before");
    free(file.locations);
}

/* Loaded files that are not known yet. */
struct fresh {
    struct dl_phdr_info *files;
    size_t count;
};

static int patch_add_fresh(struct dl_phdr_info *info, size_t size, void *user)
{
    struct fresh *fresh = user;
    struct nops_file file = nops_read(info);
    (void)size;
    struct dl_phdr_info *grown =
        patch_find_file(file.low) ? NULL : reallocarray(fresh->files, fresh->count + 1, sizeof *fresh->files);
    if (!grown)
        return 0;
    fresh->files = grown;
    fresh->files[fresh->count++] = *info;
    return 0;
}

/* dl_iterate_phdr() holds the dynamic linker's lock, for which the writer may wait in select_has(), so files are
 * patched afterwards. They stay loaded, since the caller is the only thread or holds the lock of dlopen() and
 * dlclose(). */
static void patch_all_files(void)
{
    struct fresh fresh = {0};
    linker_each(patch_add_fresh, &fresh);
    for (size_t i = 0; i < fresh.count; i++)
        patch_examine_file(&fresh.files[i], true);
    free(fresh.files);
}

static bool looked;  /* all files with which the program was started have been patched */
static bool watched; /* files that come later are patched as they are loaded */

size_t patch_all(void)
{
    empty = (struct patch_function){(uint64_t)(uintptr_t)assay_patch_empty, (uint64_t)(uintptr_t)assay_patch_empty_rest,
                                    0, true, true};
    uint32_t a = 1, b, c, d;
    __asm__("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
    if (c >> 27 & 1) { /* the kernel has enabled xsave */
        patch_all_files();
        watched = load_watch();
    }
    looked = true;
    return function_count - 1;
}

void patch_meet(const struct dl_phdr_info *info)
{
    if (looked && !watched)
        patch_examine_file(info, false);
}

static int patch_mark_loaded(struct dl_phdr_info *info, size_t size, void *user)
{
    struct nops_file file = nops_read(info);
    struct met *here = patch_find_file(file.low);
    (void)size;
    (void)user;
    if (here)
        here->there = true;
    return 0;
}

bool patch_forget_unloaded(void)
{
    size_t kept = 0;
    modules_lock();
    for (size_t i = 0; i < met_count; i++)
        met[i].there = false;
    linker_each(patch_mark_loaded, NULL);
    for (size_t i = 0; i < met_count; i++) {
        const struct met gone = met[i];
        if (gone.there) {
            met[kept++] = gone;
            continue;
        }
        for (size_t k = 1; k < function_count; k++)
            if (patch_functions[k].method >= gone.low && patch_functions[k].method < gone.high)
                patch_functions[k] = (struct patch_function){.resume = patch_functions[k].resume};
        if (gone.stubs)
            munmap(gone.stubs, gone.stub_bytes);
    }
    bool any = kept < met_count;
    met_count = kept;
    modules_unlock();
    if (any)
        select_forget();
    return any;
}

void patch_loaded(void)
{
    if (!methods_recording() && !chosen_active)
        return;
    modules_lock();
    patch_all_files();
    modules_unlock();
    select_report_probes();
}

/* ---------------------------------------------------------------------------- afterwards -- */

/* A single store replaces the stub's first instruction, which is at a multiple of 16; a thread between its two
 * instructions continues. */
static void patch_exchange_stub(struct patch_function *function, bool off)
{
    uint8_t *stub = (uint8_t *)(uintptr_t)function->stub;
    uint64_t page = function->stub & ~UINT64_C(4095), code;
    memcpy(&code, stub, sizeof code);
    if (off)
        patch_put_jump((uint8_t *)&code, function->stub, function->resume);
    else
        patch_put_push((uint8_t *)&code, (uint32_t)(function - patch_functions));
    if (mprotect((void *)(uintptr_t)page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return;
    __atomic_store_n((uint64_t *)(void *)stub, code, __ATOMIC_SEQ_CST);
    mprotect((void *)(uintptr_t)page, 4096, PROT_READ | PROT_EXEC);
    function->off = off;
}

/* This may be a handler that has interrupted whoever has the lock. */
bool patch_out(uint64_t method)
{
    int saved = errno;
    bool may = modules_try_lock();
    for (size_t i = 1; may && i < function_count; i++)
        if (patch_functions[i].method == method)
            patch_exchange_stub(&patch_functions[i], true);
    if (may)
        modules_unlock();
    errno = saved;
    return may;
}

void patch_in_again(void)
{
    for (size_t i = 1; i < function_count; i++)
        if (patch_functions[i].off)
            patch_exchange_stub(&patch_functions[i], false);
}

void patch_pairs(unsigned count)
{
    void (*volatile function)(void) = (void (*)(void))(uintptr_t)assay_patch_empty;
    for (unsigned i = 0; i < count; i++)
        function();
}
