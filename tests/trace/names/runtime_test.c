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

/* Functions of a program, with the files of their source. */
static const struct {
    const char *name, *file;
    bool is_runtime;
} functions[] = {
    {"memcpy@plt", "victim", true},
    {"lib::call(int)@plt", "victim", true},
    {"@plt", "victim", false},
    {"memcpy@plt_of_mine", "victim", false},
    {"read", "/home/me/src/read.c", false},
    {"read", "/usr/include/x86_64-linux-gnu/bits/unistd.h", true},
    {"printf", "/usr/include/bits/stdio2.h", true},
    {"printf", "/opt/sysroot/usr/include/bits/stdio2.h", true},
    {"fread", "/usr/include/fortify/stdio.h", true},
    {"atoi", "/usr/include/stdlib.h", true},
    {"std::vector<int>::push_back", "/usr/include/c++/12/bits/stl_vector.h", true},
    {"operator new", "/usr/lib/llvm-14/bin/../include/c++/v1/new", true},
    {"_mm_load_si128", "/usr/lib/gcc/x86_64-linux-gnu/12/include/emmintrin.h", true},
    {"_mm_load_si128", "/usr/lib/llvm-14/lib/clang/14.0.6/include/emmintrin.h", true},
    {"dot", "/usr/include/eigen3/Eigen/src/Core/Dot.h", false},
    {"mpz_abs", "/usr/include/x86_64-linux-gnu/gmp.h", false},
    {"my_abs", "/usr/include/my/stdlib.h", false},
    {"get", "/home/me/include/bits/get.h", false},
    {"fold", "/home/me/lib/gcc/fold.c", false},
};

static bool is_runtime(const char *class_name, const char *name, const char *file, const char *path)
{
    struct trace_method methods[2] = {{"", "", "", ""}, {class_name, name, "", file}};
    struct trace_frame frames[2] = {{0}, {.method = 1, .module = *path ? 1 : 0}};
    struct trace_module modules[2] = {{"", "", 0, 0, 0}, {path, "", 0, 0, 0}};
    const struct trace_names names = {.method_count = 2,
                                      .frame_count = 2,
                                      .module_count = 2,
                                      .methods = methods,
                                      .frames = frames,
                                      .modules = modules};
    return runtime_has_frame(&names, 1);
}

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ok(is_runtime(cases[i].class_name, "f", "", cases[i].path) == cases[i].is_runtime,
           "%s%s is %sof a runtime library", cases[i].class_name, cases[i].path, cases[i].is_runtime ? "" : "not ");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        ok(is_runtime("", functions[i].name, functions[i].file, "/bin/victim") == functions[i].is_runtime,
           "%s in %s is %sof a runtime library", functions[i].name, functions[i].file,
           functions[i].is_runtime ? "" : "not ");
    ok(!is_runtime("Main", "include", "/usr/include/bits/stdio2.h", ""), "a class is of no header");
    return done_testing();
}
