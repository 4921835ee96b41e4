/*
 * hook.c - work in a function of a native program that was compiled with -finstrument-functions: every function calls a
 * hook on entry, including inlined copies, with its address as argument.
 *
 * Preloaded; configured by INJECT_ENVIRONMENT, without which it does nothing. The function's code is the same with and
 * without work. The agent of assay record has hooks of its own, and precedes this library: it finds
 * assay_inject_enter() by name.
 */
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "base/clock.h"
#include "collect/inject/native/elf_names.h"
#include "collect/inject/native_report.h"
#include "collect/record/inject_environment.h"

#define EXPORT __attribute__((visibility("default")))

/* For this library's copy of Jansson, as in collect/sample/config.c. */
extern FILE *__wrap_stdin __attribute__((visibility("hidden")));
FILE *__wrap_stdin;

enum { TARGETS_MAX = 64, MODULES_MAX = 1024, OTHERS = 1024 };

static struct {
    struct elf_name name;
    char directory[4096];
    uint32_t amount;
    enum { HOOK_FIB, HOOK_ALLOC, HOOK_ARRAY } work;
    bool enabled;
} settings;

/* Filled under the lock; entries below a count do not change. */
static struct {
    pthread_mutex_t lock;
    struct {
        uintptr_t address;
        uint64_t bytes;
    } targets[TARGETS_MAX];
    struct {
        uintptr_t from, to;
    } modules[MODULES_MAX];
    _Atomic size_t target_count, module_count;
    char first[3 * ELF_NAME_MAX]; /* the text of the first target */
    bool first_is_static;
    struct native_report *report;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Functions that are known not to be targets, by a hash of their address. */
static _Atomic uintptr_t others[OTHERS];

/* This thread is doing work that may itself enter functions, or is scanning modules. */
static _Thread_local bool inside __attribute__((tls_model("initial-exec")));

/* -------------------------------------------------------------------------------------------- functions -- */

static uintptr_t hook_target_size(uintptr_t function, bool *found)
{
    size_t count = atomic_load_explicit(&known.target_count, memory_order_acquire);
    for (size_t i = 0; i < count; i++)
        if (known.targets[i].address == function) {
            *found = true;
            return known.targets[i].bytes;
        }
    *found = false;
    return 0;
}

struct module {
    uintptr_t base;
    const char *path;
};

static void hook_add_target(void *user, const struct elf_function *found)
{
    const struct module *module = user;
    uintptr_t address = module->base + found->address;
    struct native_report *report = known.report;
    size_t count = known.target_count;
    bool again;
    hook_target_size(address, &again);
    if (again || count == TARGETS_MAX)
        return;
    /* An exported function counts once wherever it lies; static ones are all distinct. */
    const char *first = strchr(known.first, ':'), *other = strchr(found->text, ':');
    bool same = !found->is_static && !known.first_is_static && first && other && strcmp(first, other) == 0;
    if (count == 0) {
        strcpy(known.first, found->text);
        known.first_is_static = found->is_static;
    } else if (!same && !*report->ambiguous) {
        snprintf(report->ambiguous, sizeof report->ambiguous, "%.170s or %.170s", known.first, found->text);
    }
    known.targets[count].address = address;
    known.targets[count].bytes = found->bytes;
    atomic_store_explicit(&known.target_count, count + 1, memory_order_release);
    report->functions = (uint32_t)count + 1;
    if (found->bytes > report->bytes)
        report->bytes = found->bytes;
}

static void hook_ignore_function(void *user, const struct elf_function *found)
{
    (void)user, (void)found;
}

/* The file is read twice: only a process with hooks has a report. */
static void hook_read_module(struct module *module)
{
    static const struct elf_name none = {.word = "\1"};
    if (!elf_names_find(module->path, &none, hook_ignore_function, NULL))
        return;
    if (!known.report) {
        /* The process had the same number before exec, so names get a second one. */
        char path[sizeof settings.directory + 64];
        int fd = -1;
        for (int i = 0; fd < 0 && i < 1000; i++) {
            snprintf(path, sizeof path, "%s/%d.%d" NATIVE_REPORT_SUFFIX, settings.directory, (int)getpid(), i);
            fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        }
        void *report = MAP_FAILED;
        if (fd >= 0 && ftruncate(fd, sizeof(struct native_report)) == 0)
            report = mmap(NULL, sizeof(struct native_report), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (fd >= 0)
            close(fd);
        if (report == MAP_FAILED) {
            fprintf(stderr, "assay inject: %s can't be written; no work is injected into process %d\n", path,
                    (int)getpid());
            settings.enabled = false;
            return;
        }
        known.report = report;
        known.report->magic = NATIVE_REPORT_MAGIC;
    }
    if (!*known.report->module)
        snprintf(known.report->module, sizeof known.report->module, "%s", module->path);
    elf_names_find(module->path, &settings.name, hook_add_target, module);
}

static bool hook_knows_module(uintptr_t address)
{
    size_t count = atomic_load_explicit(&known.module_count, memory_order_acquire);
    for (size_t i = 0; i < count; i++)
        if (address >= known.modules[i].from && address < known.modules[i].to)
            return true;
    return count == MODULES_MAX;
}

static int hook_scan_module(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    static char program[4096];
    bool *is_program = user;
    uintptr_t from = UINTPTR_MAX, to = 0;
    for (size_t i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD) {
            uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, end = start + info->dlpi_phdr[i].p_memsz;
            from = start < from ? start : from;
            to = end > to ? end : to;
        }
    struct module module = {info->dlpi_addr, info->dlpi_name};
    if (*is_program) {
        ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
        program[length > 0 ? length : 0] = '\0';
        module.path = program;
    }
    *is_program = false;
    size_t count = known.module_count;
    if (from < to && !hook_knows_module(from)) {
        hook_read_module(&module);
        known.modules[count].from = from;
        known.modules[count].to = to;
        atomic_store_explicit(&known.module_count, count + 1, memory_order_release);
    }
    return 0;
}

/* A thread that finds another one at it continues: the function will be entered again. */
static void hook_scan_modules(void)
{
    bool is_program = true;
    if (pthread_mutex_trylock(&known.lock) != 0)
        return;
    inside = true;
    dl_iterate_phdr(hook_scan_module, &is_program);
    inside = false;
    pthread_mutex_unlock(&known.lock);
}

/* ------------------------------------------------------------------------------------------------ work -- */

/* As in collect/inject/jvm/classfile_code.c: a new array of 1024 integers, and additions of two of its elements, chosen
 * by the highest bits of random numbers. */
static inline __attribute__((always_inline)) void hook_add_random_elements(uint32_t count)
{
    enum { LENGTH = 1024 };
    static _Thread_local uint32_t seed __attribute__((tls_model("initial-exec")));
    uint32_t x = seed;
    inside = true;
    uint32_t *array = calloc(LENGTH, sizeof *array);
    for (uint32_t left = count; array && left > 0; left--) {
        x = x * 1664525 + 1013904223;
        array[x >> 22] += array[x >> 12 & (LENGTH - 1)] + 1;
    }
    seed = array ? x + array[x >> 22] : x;
    free(array);
    inside = false;
}

/* A function is entered; `call_site`: the place of the hook's call. In profiles the work has this name. */
EXPORT void assay_inject_enter(void *entered, void *call_site) __attribute__((noinline));
EXPORT void assay_inject_enter(void *entered, void *call_site)
{
    uintptr_t function = (uintptr_t)entered, from = (uintptr_t)call_site;
    size_t slot = (function >> 4) % OTHERS;
    bool found;
    if (!settings.enabled || inside || atomic_load_explicit(&others[slot], memory_order_relaxed) == function)
        return;
    uintptr_t size = hook_target_size(function, &found);
    if (!found && !hook_knows_module(function)) {
        hook_scan_modules(); /* one loaded in the meantime */
        size = hook_target_size(function, &found);
    }
    if (!found) {
        if (hook_knows_module(function))
            atomic_store_explicit(&others[slot], function, memory_order_relaxed);
        return;
    }
    atomic_fetch_add_explicit(&known.report->calls, 1, memory_order_relaxed);
    if (from - function >= size)
        atomic_fetch_add_explicit(&known.report->elsewhere, 1, memory_order_relaxed);
    if (settings.work == HOOK_ALLOC) {
        enum { BYTES = 16 };
        inside = true;
        for (uint32_t left = settings.amount; left > 0; left--) {
            void *volatile object = malloc(BYTES);
            free(object);
        }
        inside = false;
    } else if (settings.work == HOOK_ARRAY) {
        hook_add_random_elements(settings.amount);
    } else { /* the same work as timed in collect/inject/attempt.c */
        uint32_t a = 0, b = 1;
        for (uint32_t left = settings.amount / 2; left > 0; left--) {
            a += b;
            b += a;
            __asm__ volatile("" : "+r"(a), "+r"(b));
        }
        if (settings.amount % 2) {
            a += b;
            __asm__ volatile("" : "+r"(a));
        }
    }
}

EXPORT void __cyg_profile_func_enter(void *function, void *call_site);
EXPORT void __cyg_profile_func_enter(void *function, void *call_site)
{
    (void)call_site;
    assay_inject_enter(function, __builtin_return_address(0));
}

/* ------------------------------------------------------------------------------------------- beginning -- */

__attribute__((constructor)) static void hook_begin(void)
{
    const char *text = getenv(INJECT_ENVIRONMENT);
    json_t *all = text ? json_loads(text, 0, NULL) : NULL;
    const char *method = json_string_value(json_object_get(all, "method"));
    const char *work = json_string_value(json_object_get(all, "work"));
    const char *directory = json_string_value(json_object_get(all, "report"));
    bool good = method && work && directory && strlen(directory) < sizeof settings.directory &&
                elf_names_read(method, &settings.name);
    if (good) {
        strcpy(settings.directory, directory);
        settings.work = strcmp(work, "alloc") == 0 ? HOOK_ALLOC : strcmp(work, "array") == 0 ? HOOK_ARRAY : HOOK_FIB;
        settings.amount = (uint32_t)json_integer_value(json_object_get(all, "amount"));
    }
    json_decref(all);
    if (!good)
        return;
    settings.enabled = true;
    hook_scan_modules();
}

__attribute__((destructor)) static void hook_end(void)
{
    if (known.report)
        atomic_fetch_add(&known.report->cpu_ns, clock_ns(CLOCK_PROCESS_CPUTIME_ID));
}
