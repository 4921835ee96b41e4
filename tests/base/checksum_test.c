/* checksum_test.c - CRC-32C: the test vectors of RFC 3720, B.4. */
#include "base/checksum.h"

#include "tests/tap.h"

static void check(uint32_t (*checksum)(const void *, size_t))
{
    uint8_t bytes[32] = {0};
    is_u64(checksum(bytes, 32), 0x8a9136aa, "32 bytes of zeros");
    memset(bytes, 0xff, 32);
    is_u64(checksum(bytes, 32), 0x62a8ab43, "32 bytes of ones");
    for (uint8_t i = 0; i < 32; i++)
        bytes[i] = i;
    is_u64(checksum(bytes, 32), 0x46dd794e, "32 incrementing bytes");
    is_u64(checksum("123456789", 9), 0xe3069283, "the check value of the polynomial, of \"123456789\"");
    is_u64(checksum("", 0), 0, "no bytes");
}

int main(void)
{
    check(checksum_crc32c);
    check(checksum_crc32c_portable);
    return done_testing();
}
