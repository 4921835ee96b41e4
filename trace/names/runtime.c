#include "trace/names/runtime.h"

#include <string.h>

static const char *const runtime_libraries[] = {
    "libc.so.",    "libm.so.",      "libmvec.so.",    "libpthread.so.", "librt.so.",  "libdl.so.",     "ld-linux",
    "ld.so.",      "ld-musl-",      "libc.musl-",     "libstdc++.so.",  "libc++.so.", "libc++abi.so.", "libgcc_s.so.",
    "libgomp.so.", "libatomic.so.", "linux-vdso.so.", "[vdso]",         "libjvm.so",  "libjava.so"};
/* Before glibc 2.34 the files that these names are links to were libc-2.31.so and the like. */
static const char *const runtime_numbered[] = {"libc-", "libm-", "libmvec-", "libpthread-", "librt-", "libdl-", "ld-"};
static const char *const runtime_packages[] = {"java.", "javax.", "jdk.", "sun.", "com.sun.", "scala.", "kotlin."};

/* Headers of the C library, below /usr/include or a folder there for one architecture; a name with '/' is a folder. */
static const char *const runtime_headers[] = {"bits/",    "sys/",      "gnu/",     "fortify/", "byteswap.h",
                                              "ctype.h",  "math.h",    "poll.h",   "stdio.h",  "stdlib.h",
                                              "string.h", "strings.h", "unistd.h", "wchar.h",  "wctype.h"};

static bool runtime_is_listed(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(name, list[i], strlen(list[i])) == 0)
            return true;
    return false;
}

/* "/usr/include/x86_64-linux-gnu/bits/stdio2.h", "/usr/include/c++/12/bits/stl_vector.h" and
 * "/usr/lib/gcc/x86_64-linux-gnu/12/include/emmintrin.h" do: their code is inlined into programs. The headers of other
 * libraries, which are in /usr/include, too, do not. */
static bool runtime_has_header(const char *file)
{
    const char *found = strstr(file, "/include/c++/");
    if (!found && (found = strstr(file, "/lib/gcc/")) == NULL)
        found = strstr(file, "/lib/clang/");
    if (found)
        return strstr(found, "/include/") != NULL;
    found = strstr(file, "/usr/include/");
    if (!found)
        return false;
    found += strlen("/usr/include/");
    const char *folder = strchr(found, '/'), *architecture = strstr(found, "-linux-");
    if (folder && architecture && architecture < folder)
        found = folder + 1;
    for (size_t i = 0; i < sizeof runtime_headers / sizeof *runtime_headers; i++) {
        size_t length = strlen(runtime_headers[i]);
        bool is_folder = runtime_headers[i][length - 1] == '/';
        if (is_folder ? strncmp(found, runtime_headers[i], length) == 0 : strcmp(found, runtime_headers[i]) == 0)
            return true;
    }
    return false;
}

/* "memcpy@plt" */
static bool runtime_has_stub(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, "@plt") == 0;
}

bool runtime_has_frame(const struct trace_names *names, uint32_t frame)
{
    const struct trace_frame *found = &names->frames[frame];
    const struct trace_method *method = &names->methods[found->method];
    const char *class_name = method->class_name;
    if (*class_name)
        return runtime_is_listed(class_name, runtime_packages, sizeof runtime_packages / sizeof *runtime_packages);
    if (runtime_has_stub(method->name) || runtime_has_header(method->file))
        return true;
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
