/*
 * Finds to which module an address belongs. Everything here runs in the writer's thread, never in a signal handler.
 */
#include "collect/agents/native/native.h"
#include "collect/agents/native/code_range.h"
#include "collect/agents/native/patch.h"
#include "collect/agents/native/select.h"

#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

struct module {
    char *path;
    char *method; /* "[libc.so.6]": the name of frames until symbols are looked up */
    char build_id[2 * POOL_BUILD_ID_MAX + 1];
    uint64_t bias, low, high;
    uint64_t id; /* the one in the trace; 0: not yet defined */
};

static struct module *modules; /* all modules so far; a later one hides an earlier one at the same location */
static size_t module_count;
static unsigned long long known_adds, known_subs;

/* Held around a fork: if the writer's thread was asking the dynamic linker, the child would find the linker's lock
 * held.
 */
static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;
static bool held_at_fork;

void modules_lock(void)
{
    pthread_mutex_lock(&asking);
}

bool modules_try_lock(void)
{
    return pthread_mutex_trylock(&asking) == 0;
}

void modules_unlock(void)
{
    pthread_mutex_unlock(&asking);
}

void modules_before_fork(void)
{
    held_at_fork = linker_lock_before_fork(&asking);
}

void modules_after_fork_in_parent(void)
{
    if (held_at_fork)
        pthread_mutex_unlock(&asking);
}

void modules_forget(void)
{
    pthread_mutex_init(&asking, NULL);
    modules = NULL; /* the parent's thread may have been changing it */
    module_count = 0;
    known_adds = known_subs = 0;
}

static void module_read_segments(struct module *module, const struct dl_phdr_info *info)
{
    struct pool_module range = {.bias = info->dlpi_addr};
    code_range_read(&range, info->dlpi_phdr, info->dlpi_phnum);
    module->low = range.low;
    module->high = range.high;
    for (uint32_t i = 0; i < range.build_id_bytes; i++)
        snprintf(module->build_id + 2 * i, 3, "%02x", range.build_id[i]);
}

static char *module_copy_path(const struct dl_phdr_info *info, bool vdso)
{
    if (vdso)
        return strdup("[vdso]");
    static char exe[4096]; /* read only once: when the main thread has left, the kernel has no answer any more */
    if (info->dlpi_name[0] != '\0') {
        char *absolute = realpath(info->dlpi_name, NULL);
        return absolute ? absolute : strdup(info->dlpi_name);
    }
    if (exe[0] == '\0' && readlink("/proc/self/exe", exe, sizeof exe - 1) < 0)
        exe[0] = '\0';
    return strdup(exe);
}

static bool module_set_names(struct module *module, const struct dl_phdr_info *info)
{
    unsigned long vdso = getauxval(AT_SYSINFO_EHDR);
    module->path = module_copy_path(info, vdso >= module->low && vdso < module->high);
    if (!module->path)
        return false;
    const char *slash = strrchr(module->path, '/');
    const char *base = slash ? slash + 1 : module->path;
    if (asprintf(&module->method, base[0] == '[' ? "%s" : "[%s]", base) >= 0)
        return true;
    free(module->path);
    return false;
}

static bool module_is_known(const struct module *module)
{
    for (size_t i = module_count; i-- > 0;)
        if (modules[i].low < module->high && module->low < modules[i].high)
            return modules[i].low == module->low && modules[i].high == module->high &&
                   strcmp(modules[i].build_id, module->build_id) == 0 && strcmp(modules[i].path, module->path) == 0;
    return false;
}

static int modules_add(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    (void)user;
    struct module module = {.bias = info->dlpi_addr};
    known_adds = info->dlpi_adds;
    known_subs = info->dlpi_subs;
    module_read_segments(&module, info);
    if (module.low >= module.high || !module_set_names(&module, info))
        return 0;
    struct module *grown = module_is_known(&module) ? NULL : reallocarray(modules, module_count + 1, sizeof *modules);
    if (!grown) {
        free(module.path);
        free(module.method);
        return 0;
    }
    modules = grown;
    modules[module_count++] = module;
    patch_meet(info);
    return 0;
}

static int modules_are_changed(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    *(bool *)user = info->dlpi_adds != known_adds || info->dlpi_subs != known_subs;
    return 1;
}

void modules_look_again(void *user)
{
    bool changed = true;
    unsigned long long unloaded = known_subs;
    (void)user;
    pthread_mutex_lock(&asking);
    linker_each(modules_are_changed, &changed);
    if (changed)
        linker_each(modules_add, NULL);
    pthread_mutex_unlock(&asking);
    if (known_subs != unloaded && sampler_writer()) { /* other files may be where those were */
        trace_forget_frames(sampler_writer());
        methods_forget();
        select_forget();
    }
}

static struct module *modules_find(uint64_t address)
{
    modules_look_again(NULL);
    for (size_t i = module_count; i-- > 0;)
        if (address >= modules[i].low && address < modules[i].high)
            return &modules[i];
    return NULL;
}

bool modules_describe(void *user, const struct trace_raw_frame *frame, struct trace_frame_text *text)
{
    (void)user;
    struct module *module = frame->code < FRAME_CODES ? NULL : modules_find(frame->code);
    if (!module) {
        frame_text_of_code(frame->code, text);
        return true;
    }
    if (module->id == 0 && sampler_writer())
        module->id = trace_define_module(sampler_writer(), module->path, module->build_id, module->bias, module->low,
                                         module->high);
    frame_text_of_module(frame->code, module->method, module->bias, module->id, text);
    return true;
}
