#include "collect/symbols/module.h"

#include <assert.h>
#include <elf.h>
#include <stdlib.h>

#include "base/grow.h"

/* The positions from `begin` to the next stretch's, for which libdwfl's search gives the same answer. */
struct stretch {
    GElf_Addr begin;
    const char *name; /* once looked up; NULL: there is none */
    bool looked_up;
};

void symbol_names_free(struct symbol_names *names)
{
    free(names->stretches);
    *names = (struct symbol_names){0};
}

/* ---------------------------------------------------------------------------- where answers change -- */

static void symbol_names_add(struct symbol_names *names, GElf_Addr begin)
{
    struct stretch *stretches = grow_unset(names->stretches, &names->capacity, names->count, sizeof *stretches);
    if (!stretches) {
        names->failed = true;
        return;
    }
    names->stretches = stretches;
    names->stretches[names->count++] = (struct stretch){.begin = begin};
}

static void symbol_names_add_sections(struct symbol_names *names, Elf *elf, GElf_Addr bias)
{
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; elf && (section = elf_nextscn(elf, section));) {
        if (!gelf_getshdr(section, &header))
            continue;
        symbol_names_add(names, header.sh_addr + bias);
        symbol_names_add(names, header.sh_addr + header.sh_size + bias);
    }
}

static int symbol_names_compare(const void *a, const void *b)
{
    const struct stretch *first = a, *second = b;
    return (first->begin > second->begin) - (first->begin < second->begin);
}

static void symbol_names_build(struct symbol_names *names, Dwfl_Module *module)
{
    GElf_Addr bias = 0;
    symbol_names_add(names, 0);
    /* A symbol counts from its value to its end; one without a size to the end of its section, or only at its value,
     * like an absolute one. */
    int count = dwfl_module_getsymtab(module);
    for (int i = 0; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr value;
        if (!dwfl_module_getsym_info(module, i, &symbol, &value, NULL, NULL, NULL))
            continue;
        symbol_names_add(names, value);
        symbol_names_add(names, value + symbol.st_size);
        if (symbol.st_size == 0 || symbol.st_shndx >= SHN_LORESERVE)
            symbol_names_add(names, value + 1);
    }
    Elf *elf = dwfl_module_getelf(module, &bias);
    symbol_names_add_sections(names, elf, bias);
    Dwarf *debug = dwfl_module_getdwarf(module, &bias);
    if (debug)
        symbol_names_add_sections(names, dwarf_getelf(debug), bias);
    if (!names->failed)
        qsort(names->stretches, names->count, sizeof *names->stretches, symbol_names_compare);
    names->made = true;
}

/* ---------------------------------------------------------------------------- one position -- */

const char *symbol_names_at(struct symbol_names *names, Dwfl_Module *module, GElf_Addr position)
{
    if (!names->made)
        symbol_names_build(names, module);
    if (names->failed)
        return dwfl_module_addrname(module, position);
    /* The last stretch that begins at or before the position. */
    size_t low = 0, high = names->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (names->stretches[middle].begin <= position)
            low = middle;
        else
            high = middle;
    }
    struct stretch *stretch = &names->stretches[low];
    assert(names->count > 0 && stretch->begin <= position);
    if (!stretch->looked_up)
        stretch->name = dwfl_module_addrname(module, position);
    stretch->looked_up = true;
    return stretch->name;
}
