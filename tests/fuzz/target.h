/*
 * target.h - what the fuzz targets share. Each target is a libFuzzer program for one reader of foreign bytes; `make
 * fuzz` builds and runs them (tests/fuzz/run).
 */
#ifndef ASSAY_TESTS_FUZZ_TARGET_H
#define ASSAY_TESTS_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* libFuzzer calls it with each input. Returns 0: the input may become part of the corpus. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A broken promise is a crash for libFuzzer, which keeps the input. */
#define TARGET_PROMISES(condition)                                                                                     \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #condition);                            \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* The path of a regular file in memory that holds data[size]. Each call replaces the contents of the one before. */
static inline const char *target_file(const uint8_t *data, size_t size)
{
    static int file = -1;
    static char path[64];
    if (file < 0) {
        file = memfd_create("input", MFD_CLOEXEC);
        TARGET_PROMISES(file >= 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    TARGET_PROMISES(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size);
    return path;
}

/* A directory of this process in memory, for what a reader writes. */
static inline const char *target_directory(void)
{
    static char path[] = "/dev/shm/assay-fuzz-XXXXXX";
    static int made;
    if (!made)
        TARGET_PROMISES(mkdtemp(path));
    made = 1;
    return path;
}

#endif
