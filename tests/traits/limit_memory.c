/* Address space limited to 256 MB, of which the program needs 150: a recorder's own mappings must leave it that. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "burn.h"

int main(void)
{
    struct rlimit limit = {256 << 20, 256 << 20};
    size_t bytes = 150 << 20;
    burn(0.05);
    setrlimit(RLIMIT_AS, &limit);
    char *large = malloc(bytes);
    if (!large) {
        puts("no memory");
        return 1;
    }
    memset(large, 1, bytes);
    burn(0.05);
    long sum = 0;
    for (size_t i = 0; i < bytes; i += 4096)
        sum += large[i];
    printf("pages %ld, too much fails: %d\n", sum, malloc(bytes) == NULL);
    free(large);
    return 0;
}
