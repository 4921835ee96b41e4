#include "trace/names/runtime.h"

#include <string.h>

static const char *const runtime_libraries[] = {
    "libc.so.", "libc-",     "libm.so.",   "libm-",   "libmvec",   "libpthread", "librt",  "libdl",
    "ld-linux", "ld-",       "ld.so",      "ld-musl", "libc.musl", "libstdc++",  "libc++", "libgcc_s",
    "libgomp",  "libatomic", "linux-vdso", "[vdso]",  "libjvm.so", "libjava.so"};
static const char *const runtime_packages[] = {"java.", "javax.", "jdk.", "sun.", "com.sun.", "scala.", "kotlin."};

static bool runtime_is_listed(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(name, list[i], strlen(list[i])) == 0)
            return true;
    return false;
}

bool runtime_has_frame(const struct trace_names *names, uint32_t frame)
{
    const struct trace_frame *found = &names->frames[frame];
    const char *class_name = names->methods[found->method].class_name;
    if (*class_name)
        return runtime_is_listed(class_name, runtime_packages, sizeof runtime_packages / sizeof *runtime_packages);
    if (found->module == 0 || found->module >= names->module_count)
        return false;
    const char *path = names->modules[found->module].path, *slash = strrchr(path, '/');
    return runtime_is_listed(slash ? slash + 1 : path, runtime_libraries,
                             sizeof runtime_libraries / sizeof *runtime_libraries);
}
