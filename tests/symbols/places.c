/*
 * locations MODULE BUILD-ID ADDRESS... - what assay resolve finds for addresses (hexadecimal) in a module's file, for
 * tests. A line for each, separated by tabs: ADDRESS NAME|SIGNATURE|FILE|LINE…, innermost first, files without folders;
 * `-` where nothing is known. BUILD-ID is "" if the module has none. The exit status is 1 if the file can't be opened.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/symbols/symbols.h"

static void print(struct symbols *symbols, const char *address)
{
    struct location locations[LOCATIONS_MAX];
    size_t count = symbols_lookup(symbols, strtoull(address, NULL, 16), locations);
    printf("%s%s", address, count ? "" : "\t-");
    for (size_t i = 0; i < count; i++) {
        const char *slash = strrchr(locations[i].file, '/');
        printf("\t%s|%s|%s|%u", locations[i].name, locations[i].signature, slash ? slash + 1 : locations[i].file,
               locations[i].line);
    }
    putchar('\n');
    symbols_free_locations(locations, count);
}

int main(int argc, char **argv)
{
    struct symbols *symbols;
    if (argc < 3 || symbols_open(argv[1], argv[2], &symbols) != SYMBOLS_GOOD)
        return 1;
    for (int i = 3; i < argc; i++)
        print(symbols, argv[i]);
    symbols_close(symbols);
    return 0;
}
