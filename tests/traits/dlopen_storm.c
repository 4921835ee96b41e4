/* Loads a library of its own, calls it for a while, unloads it and loads another at the same place, 150 times, and once
 * into a namespace of its own (dlmopen): the results must be those of the library that is loaded.
 * flags: -ldl
 * needs: command -v gcc */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "burn.h"

static void build(int which)
{
    char command[256];
    snprintf(
        command, sizeof command,
        "printf '__thread int own = %d; long work(long n) { long s = own; for (long i = 0; i < n; i++) s += i & %d; "
        "return s; }' | gcc -O1 -shared -fPIC -x c -o ./lib%d.so -",
        which, which, which);
    if (system(command) != 0)
        puts("not built");
}

static long call(void *library)
{
    long (*work)(long) = library ? (long (*)(long))dlsym(library, "work") : NULL;
    return work ? work(400000) : -1;
}

int main(void)
{
    long sum = 0;
    build(1);
    build(3);
    for (int i = 0; i < 150; i++) {
        void *library = dlopen(i % 2 ? "./lib1.so" : "./lib3.so", RTLD_NOW);
        sum += call(library);
        if (library)
            dlclose(library);
    }
    void *apart = dlmopen(LM_ID_NEWLM, "./lib1.so", RTLD_NOW);
    printf("sum %ld, apart %ld\n", sum, call(apart));
    return 0;
}
