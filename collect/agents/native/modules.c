/*
 * Finds to which module an address belongs. Everything here runs in the writer's thread, never in a signal handler.
 */
#include "collect/agents/native/native.h"
#include "collect/agents/native/code_range.h"
#include "collect/agents/native/patch.h"
#include "collect/agents/native/select.h"

#include <assert.h>
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

static bool module_set_names(struct module *module, const struct dl_phdr_info *info)
{
    static char exe[4096]; /* read only once: when the main thread has left, the kernel has no answer any more */
    unsigned long vdso = getauxval(AT_SYSINFO_EHDR);
    if (vdso >= module->low && vdso < module->high) {
        module->path = strdup("[vdso]");
    } else if (info->dlpi_name[0] != '\0') {
        char *absolute = realpath(info->dlpi_name, NULL);
        module->path = absolute ? absolute : strdup(info->dlpi_name);
    } else {
        if (exe[0] == '\0' && readlink("/proc/self/exe", exe, sizeof exe - 1) < 0)
            exe[0] = '\0';
        module->path = strdup(exe);
    }
    if (!module->path)
        return false;
    const char *slash = strrchr(module->path, '/');
    const char *base = slash ? slash + 1 : module->path;
    if (asprintf(&module->method, base[0] == '[' ? "%s" : "[%s]", base) >= 0)
        return true;
    free(module->path);
    return false;
}

static int modules_add(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    (void)user;
    struct module module = {.bias = info->dlpi_addr};
    known_adds = info->dlpi_adds;
    known_subs = info->dlpi_subs;
    struct pool_module range = {.bias = info->dlpi_addr};
    code_range_read(&range, info->dlpi_phdr, info->dlpi_phnum);
    module.low = range.low;
    module.high = range.high;
    for (uint32_t i = 0; i < range.build_id_bytes; i++)
        snprintf(module.build_id + 2 * i, 3, "%02x", range.build_id[i]);
    if (module.low >= module.high || !module_set_names(&module, info))
        return 0;
    const struct module *before = NULL;
    for (size_t i = module_count; i-- > 0 && !before;)
        if (modules[i].low < module.high && module.low < modules[i].high)
            before = &modules[i];
    bool known = before && before->low == module.low && before->high == module.high &&
                 strcmp(before->build_id, module.build_id) == 0 && strcmp(before->path, module.path) == 0;
    struct module *grown = known ? NULL : reallocarray(modules, module_count + 1, sizeof *modules);
    if (!grown) {
        free(module.path);
        free(module.method);
        return 0;
    }
    assert(module.path && module.method && module.low < module.high);
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

bool modules_describe(void *user, const struct trace_raw_frame *frame, struct trace_frame_text *text)
{
    (void)user;
    struct module *module = NULL;
    if (frame->code >= FRAME_CODES)
        modules_look_again(NULL);
    for (size_t i = frame->code < FRAME_CODES ? 0 : module_count; i-- > 0 && !module;)
        if (frame->code >= modules[i].low && frame->code < modules[i].high)
            module = &modules[i];
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
