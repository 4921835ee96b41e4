/* symbol_names_test.c - the symbol at a position is the one that libdwfl's own search finds, at borders and between. */
#include "collect/symbols/module.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "tests/tap.h"

/* Symbols within a symbol, without a size, and without a section. */
__asm__(".text\n"
        "names_outer: nop\n"
        "names_inner: nop\n"
        ".size names_inner, 1\n"
        "nop\n"
        "names_label: nop\n"
        ".size names_outer, . - names_outer\n"
        "names_after: nop\n"
        ".set names_absolute, 64\n");

/* Debug files are not looked for. */
static int find_none(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, const char *file,
                     const char *link, GElf_Word crc, char **found)
{
    (void)module, (void)user, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)found;
    return -1;
}

static const Dwfl_Callbacks callbacks = {.find_debuginfo = find_none, .section_address = dwfl_offline_section_address};

static Dwfl_Module *open_module(Dwfl *dwfl, const char *path)
{
    dwfl_report_begin(dwfl);
    Dwfl_Module *module = dwfl_report_elf(dwfl, path, path, -1, 0, true);
    dwfl_report_end(dwfl, NULL, NULL);
    return module;
}

struct checked {
    size_t positions, named, wrong;
};

static void check(struct symbol_names *names, Dwfl_Module *module, GElf_Addr position, struct checked *checked)
{
    const char *expected = dwfl_module_addrname(module, position), *name = symbol_names_at(names, module, position);
    bool same = name && expected ? strcmp(name, expected) == 0 : name == expected;
    if (!same)
        printf("# 0x%lx: got %s, expected %s\n", (unsigned long)position, name ? name : "none",
               expected ? expected : "none");
    checked->positions++;
    checked->named += expected != NULL;
    checked->wrong += !same;
}

/* Around the borders of every so many symbols, and at random. */
static void compare(const char *path, int stride)
{
    Dwfl *dwfl = dwfl_begin(&callbacks);
    Dwfl_Module *module = open_module(dwfl, path);
    struct symbol_names names = {0};
    struct checked checked = {0};
    struct rng rng;
    GElf_Addr highest = 0;
    rng_init(&rng, 1, 0);
    for (int i = 1; module && i < dwfl_module_getsymtab(module); i += stride) {
        GElf_Sym symbol;
        GElf_Addr value = 0;
        if (!dwfl_module_getsym_info(module, i, &symbol, &value, NULL, NULL, NULL))
            continue;
        for (int near = -1; near <= 1; near++) {
            check(&names, module, value + (GElf_Addr)near, &checked);
            check(&names, module, value + symbol.st_size + (GElf_Addr)near, &checked);
        }
        highest = value > highest && symbol.st_shndx < SHN_LORESERVE ? value : highest;
    }
    for (int i = 0; i < 2000 && highest; i++)
        check(&names, module, rng_below(&rng, highest + 4096), &checked);
    check(&names, module, 0, &checked);
    check(&names, module, ~(GElf_Addr)0, &checked);
    ok(checked.named > 100, "%s: more than 100 of %zu positions have a name", path, checked.positions);
    ok(checked.wrong == 0, "  always the one that a search of all symbols finds");
    symbol_names_free(&names);
    dwfl_end(dwfl);
}

int main(void)
{
    compare("/proc/self/exe", 1);
    Dl_info libc;
    if (ok(dladdr((void *)(uintptr_t)strtol, &libc) != 0, "the C library has a file"))
        compare(libc.dli_fname, 7);
    return done_testing();
}
