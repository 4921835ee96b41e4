/*
 * fake_raw.c - fake_raw FILE PID HOW: writes a raw file like those of assay's Valgrind tool, for the recorder's tests.
 * It has one pair of two stores in the function at $FAKE_ADDRESS (hexadecimal) of the file $FAKE_MODULE. HOW:
 *   whole       ended with RAW_END
 *   unfinished  without it, as after kill -9
 *   damaged     not a raw file
 *   exec        ended because another program was executed
 */
#include <time.h>

#include "tests/exact/convert/raw_bytes.h"

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

enum { BIAS = 0x10000000 };

static void put_counts(struct raw_bytes *raw, uint64_t address)
{
    raw_thread(raw, 1, 1);
    raw_node(raw, 1, 0, 0, RAW_ROOT);
    raw_sites(raw, 1, 1, (uint64_t[]){BIAS + address, BIAS + address + 1}, 2);
    raw_total(raw, &(struct raw_total){1, 1, 0, 0, 100, 800});
    raw_pair(raw, &(struct raw_pair){1, 2, 0, 0, 1, 0, 0, 10, 4, 80, 32});
    raw_time(raw, now_ns(), 12345);
}

int main(int argc, char **argv)
{
    struct raw_bytes raw = {0};
    const char *module = getenv("FAKE_MODULE"), *address = getenv("FAKE_ADDRESS");
    if (argc != 4)
        return 2;
    uint64_t place = strtoull(address ? address : "1000", NULL, 16);
    if (strcmp(argv[3], "damaged") == 0)
        raw_add(&raw, "this is no raw file, is it", 24);
    else
        raw_hello(&raw, (uint32_t)atoi(argv[2]), now_ns(),
                  "{\"collector\":\"valgrind\",\"engine\":\"exact\",\"exe\":\"/fake\"}");
    raw_module(&raw, 1, module ? module : "/nowhere", BIAS, BIAS, BIAS + (1 << 24));
    put_counts(&raw, place);
    if (strcmp(argv[3], "whole") == 0)
        raw_end(&raw, RAW_EXITED, 0);
    if (strcmp(argv[3], "exec") == 0)
        raw_end(&raw, RAW_EXEC, 0);
    raw_save(&raw, raw.size, argv[1]);
    free(raw.data);
    return 0;
}
