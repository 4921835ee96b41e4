/*
 * decode_text - the decoder's results, for tests. Input: lines of ADDRESS BYTE…, hexadecimal. Output: a line for each,
 *   ADDRESS LENGTH FLOW TARGET REAL      (TARGET in hexadecimal; - for none)
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "collect/x86/x86.h"

int main(void)
{
    char line[256];
    while (fgets(line, sizeof line, stdin)) {
        uint8_t code[64];
        size_t bytes = 0;
        char *at, *end;
        uint64_t address = strtoull(line, &at, 16);
        for (uint64_t byte; bytes < sizeof code && (byte = strtoull(at, &end, 16), end != at); at = end)
            code[bytes++] = (uint8_t)byte;
        struct x86_instruction one = {0};
        unsigned length = x86_decode(code, bytes, address, &one);
        printf("%" PRIx64 " %u %u ", address, length, one.flow);
        if (one.flow == X86_JUMP || one.flow == X86_BRANCH || one.flow == X86_CALL)
            printf("%" PRIx64, one.target);
        else
            putchar('-');
        printf(" %u\n", one.real);
    }
    return ferror(stdin) || fflush(stdout) != 0;
}
