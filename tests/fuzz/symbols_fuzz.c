/* Our own readers of ELF files: symbol tables and program headers; then, by libdw, functions, lines and loops at a few
 * positions. */
#include <string.h>

#include "collect/symbols/elf_image.h"
#include "collect/symbols/symbols.h"
#include "tests/fuzz/target.h"

enum { POSITIONS = 16, FIRST = 0x1000, STEP = 0x4d };

static void read_image(const char *path)
{
    struct elf_image image;
    struct elf_image_table table;
    if (!elf_image_map(path, &image))
        return;
    const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};
    for (size_t t = 0; t < 2; t++)
        if (elf_image_table(&image, types[t], &table))
            for (size_t i = 0; i < table.count; i++) {
                const Elf64_Sym *symbol = &table.symbols[i];
                if (symbol->st_name < table.names_size)
                    TARGET_PROMISES(strlen(table.names + symbol->st_name) < table.names_size);
                const uint8_t *code = elf_image_at(&image, symbol->st_value, symbol->st_size);
                volatile uint8_t last = code && symbol->st_size ? code[symbol->st_size - 1] : 0;
                (void)last;
            }
    elf_image_unmap(&image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct location locations[LOCATIONS_MAX];
    const char *path = target_file(data, size);
    struct symbols *symbols;
    read_image(path);
    if (symbols_open(path, "", &symbols) != SYMBOLS_GOOD)
        return 0;
    for (uint64_t i = 0; i < POSITIONS; i++) {
        const uint64_t position = FIRST + i * STEP;
        symbols_free_locations(locations, symbols_lookup(symbols, position, locations));
        symbols_free_locations(locations, symbols_lookup_loop(symbols, position, locations));
    }
    symbols_close(symbols);
    return 0;
}
