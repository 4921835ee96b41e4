/* As in dedup: chunks of a file are looked up in a hash table whose function spreads them badly, so that some chains
 * are long; after: by a function that spreads them evenly. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 4096, CHUNKS = 6000, CHUNK_BYTES = 512 };

struct entry {
    struct entry *next;
    uint64_t key;
};

static struct entry *table[BUCKETS], entries[CHUNKS];
static uint8_t data[CHUNKS][CHUNK_BYTES];
static int after;

static uint32_t bucket_of(uint64_t key)
{
    if (after)
        return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 52);
    return (uint32_t)((key & 0xff) + (key >> 8 & 0xff)); /* the sum of two bytes */
}

/* What dedup does with each chunk in any case. */
__attribute__((noinline)) uint64_t fingerprint(const uint8_t *chunk)
{
    uint64_t sum = 0xcbf29ce484222325u;
    for (int i = 0; i < CHUNK_BYTES; i++)
        sum = (sum ^ chunk[i]) * 0x100000001b3u;
    return sum;
}

__attribute__((noinline)) struct entry *search(uint64_t key)
{
    struct entry *entry = table[bucket_of(key)];
    while (entry && entry->key != key)
        entry = entry->next;
    return entry;
}

int main(int argc, char **argv)
{
    int rounds = argc > 2 ? atoi(argv[2]) : 200;
    uint64_t state = 1, found = 0;
    after = argc > 1 && strcmp(argv[1], "after") == 0;
    for (size_t c = 0; c < CHUNKS; c++) {
        for (size_t i = 0; i < CHUNK_BYTES; i++)
            data[c][i] = (uint8_t)((state = state * 6364136223846793005u + 1) >> 56);
        uint64_t key = fingerprint(data[c]);
        uint32_t bucket = bucket_of(key);
        entries[c] = (struct entry){table[bucket], key};
        table[bucket] = &entries[c];
    }
    for (int round = 0; round < rounds; round++)
        for (size_t c = 0; c < CHUNKS; c++)
            found += search(fingerprint(data[c])) != NULL;
    printf("%lu\n", (unsigned long)found);
    return 0;
}
