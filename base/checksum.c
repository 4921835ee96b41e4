#include "base/checksum.h"

#include <pthread.h>
#include <string.h>

/* Eight tables, so that eight bytes need one step ("slicing by 8", Kounavis and Berry 2005). */
static uint32_t tables[8][256];
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

static void checksum_fill_tables(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
        tables[0][byte] = crc;
    }
    for (int slice = 1; slice < 8; slice++)
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t before = tables[slice - 1][byte];
            tables[slice][byte] = before >> 8 ^ tables[0][before & 0xff];
        }
}

uint32_t checksum_crc32c_portable(const void *data, size_t size)
{
    const uint8_t *at = data;
    pthread_once(&tables_once, checksum_fill_tables);
    uint32_t crc = UINT32_MAX;
    for (; size >= 8; size -= 8, at += 8) {
        uint32_t low, high;
        memcpy(&low, at, 4);
        memcpy(&high, at + 4, 4);
        low ^= crc;
        crc = tables[7][low & 0xff] ^ tables[6][low >> 8 & 0xff] ^ tables[5][low >> 16 & 0xff] ^ tables[4][low >> 24] ^
              tables[3][high & 0xff] ^ tables[2][high >> 8 & 0xff] ^ tables[1][high >> 16 & 0xff] ^
              tables[0][high >> 24];
    }
    for (; size > 0; size--)
        crc = crc >> 8 ^ tables[0][(crc ^ *at++) & 0xff];
    return ~crc;
}

#ifdef __x86_64__
/* SSE4.2 has an instruction for this polynomial. */
__attribute__((target("sse4.2"))) static uint32_t checksum_by_instruction(const uint8_t *at, size_t size)
{
    uint64_t crc = UINT32_MAX;
    for (; size >= 8; size -= 8, at += 8) {
        uint64_t eight;
        memcpy(&eight, at, 8);
        crc = __builtin_ia32_crc32di(crc, eight);
    }
    for (; size > 0; size--)
        crc = __builtin_ia32_crc32qi((uint32_t)crc, *at++);
    return ~(uint32_t)crc;
}

uint32_t checksum_crc32c(const void *data, size_t size)
{
    return __builtin_cpu_supports("sse4.2") ? checksum_by_instruction(data, size)
                                            : checksum_crc32c_portable(data, size);
}
#else
uint32_t checksum_crc32c(const void *data, size_t size)
{
    return checksum_crc32c_portable(data, size);
}
#endif
