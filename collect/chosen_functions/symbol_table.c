#include "collect/chosen_functions/symbol_table.h"

#include <assert.h>
#include <stdlib.h>

static bool symbol_table_load(struct symbol_table *table, uint32_t type)
{
    struct elf_image_table from;
    if (!elf_image_table(&table->image, type, &from))
        return false;
    free(table->symbols);
    table->symbols = calloc(from.count, sizeof *table->symbols);
    for (size_t i = 0; table->symbols && i < from.count; i++) {
        const Elf64_Sym *symbol = &from.symbols[i];
        if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
            symbol->st_name < from.names_size)
            table->symbols[table->count++] =
                (struct symbol){symbol->st_value, symbol->st_size, from.names + symbol->st_name};
    }
    assert(table->count <= from.count);
    return table->count > 0;
}

static int symbol_compare_begins(const void *left, const void *right)
{
    const struct symbol *a = left, *b = right;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

bool symbol_table_read(const char *path, struct symbol_table *table)
{
    *table = (struct symbol_table){0};
    if (!elf_image_map(path, &table->image))
        return false;
    if (!symbol_table_load(table, SHT_SYMTAB) && !symbol_table_load(table, SHT_DYNSYM)) {
        symbol_table_free(table);
        return false;
    }
    qsort(table->symbols, table->count, sizeof *table->symbols, symbol_compare_begins);
    return true;
}

void symbol_table_free(struct symbol_table *table)
{
    free(table->symbols);
    elf_image_unmap(&table->image);
    *table = (struct symbol_table){0};
}

size_t symbol_table_above(const struct symbol_table *table, uint64_t position)
{
    size_t low = 0, high = table->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (table->symbols[middle].begin <= position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
