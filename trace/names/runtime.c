#include "trace/names/runtime.h"

#include <string.h>

static const char *const runtime_libraries[] = {
    "libc.so.",    "libm.so.",      "libmvec.so.",    "libpthread.so.", "librt.so.",  "libdl.so.",     "ld-linux",
    "ld.so.",      "ld-musl-",      "libc.musl-",     "libstdc++.so.",  "libc++.so.", "libc++abi.so.", "libgcc_s.so.",
    "libgomp.so.", "libatomic.so.", "linux-vdso.so.", "[vdso]",         "libjvm.so",  "libjava.so"};
/* Before glibc 2.34 the files that these names are links to were libc-2.31.so and the like. */
static const char *const runtime_numbered[] = {"libc-", "libm-", "libmvec-", "libpthread-", "librt-", "libdl-", "ld-"};
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
    const char *path = names->modules[found->module].path, *slash = strrchr(path, '/'),
               *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof runtime_numbered / sizeof *runtime_numbered; i++) {
        size_t length = strlen(runtime_numbered[i]);
        if (strncmp(name, runtime_numbered[i], length) == 0 && name[length] >= '0' && name[length] <= '9')
            return true;
    }
    return runtime_is_listed(name, runtime_libraries, sizeof runtime_libraries / sizeof *runtime_libraries);
}
