/* seed_file heap-dump|exact FILE - writes a small file of that kind, for tests/fuzz/seeds. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/exact/convert/converted.h"
#include "tests/inspect/heapdump/small_dump.h"

int main(int argc, char **argv)
{
    struct small_dump dump;
    if (argc == 3 && strcmp(argv[1], "heap-dump") == 0) {
        small_dump_make(&dump);
        FILE *file = fopen(argv[2], "wb");
        if (file && fwrite(dump.bytes, 1, dump.size, file) == dump.size && fclose(file) == 0)
            return 0;
    } else if (argc == 3 && strcmp(argv[1], "exact") == 0) {
        struct raw_bytes raw = small_file();
        raw_save(&raw, raw.size, argv[2]);
        free(raw.data);
        return 0;
    } else {
        fprintf(stderr, "usage: seed_file heap-dump|exact FILE\n");
        return 2;
    }
    fprintf(stderr, "seed_file: %s: %s\n", argv[2], strerror(errno));
    return 1;
}
