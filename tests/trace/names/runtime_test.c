/* runtime_test.c - which frames belong to the libraries of a language. */
#include "trace/names/runtime.h"

#include "tests/tap.h"

static const struct {
    const char *class_name, *path;
    bool is_runtime;
} cases[] = {
    {"", "/usr/lib/x86_64-linux-gnu/libc.so.6", true},
    {"", "/lib/libc-2.31.so", true},
    {"", "/usr/lib/x86_64-linux-gnu/libm.so.6", true},
    {"", "/usr/lib64/ld-linux-x86-64.so.2", true},
    {"", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30", true},
    {"", "/lib/ld-musl-x86_64.so.1", true},
    {"", "[vdso]", true},
    {"", "/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so", true},
    {"", "/lib/ld-2.31.so", true},
    {"", "/usr/bin/figlet", false},
    {"", "/usr/lib/librtmp.so.1", false},
    {"", "/usr/lib/libc-client.so.2007e", false},
    {"", "/usr/bin/ld-tool", false},
    {"", "/opt/libc.so.6/bin/program", false},
    {"", "/usr/lib/x86_64-linux-gnu/libcrypto.so.3", false},
    {"", "/usr/lib/x86_64-linux-gnu/libmagic.so.1", false},
    {"", "", false},
    {"java.util.HashMap", "", true},
    {"com.sun.tools.javac.Main", "", true},
    {"scala.collection.immutable.List", "", true},
    {"javassist.Loader", "", false},
    {"com.sunny.Main", "", false},
    {"Main", "", false},
};

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace_method methods[2] = {{"", "", "", ""}, {cases[i].class_name, "f", "", ""}};
        struct trace_frame frames[2] = {{0}, {.method = 1, .module = *cases[i].path ? 1 : 0}};
        struct trace_module modules[2] = {{"", "", 0, 0, 0}, {cases[i].path, "", 0, 0, 0}};
        const struct trace_names names = {.method_count = 2,
                                          .frame_count = 2,
                                          .module_count = 2,
                                          .methods = methods,
                                          .frames = frames,
                                          .modules = modules};
        ok(runtime_has_frame(&names, 1) == cases[i].is_runtime, "%s%s is %sof a runtime library", cases[i].class_name,
           cases[i].path, cases[i].is_runtime ? "" : "not ");
    }
    return done_testing();
}
