/*
 * loops MODULE BUILD-ID - the loops of every function of a module's file, and the lines that assay resolve gives them,
 * for tests. A line for each: FUNCTION (its symbol) DEPTH NAME FILE LINE, separated by tabs, where NAME is the function
 * in which the loop is written and FILE has no folders. The exit status is 1 if the file can't be opened.
 */
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/symbols/symbols.h"
#include "collect/x86/loops.h"

static char *debug_directories;
static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                         .find_debuginfo = dwfl_standard_find_debuginfo,
                                         .section_address = dwfl_offline_section_address,
                                         .debuginfo_path = &debug_directories};

static void print_loop(struct symbols *symbols, const char *function, const struct loops_loop *loop)
{
    struct location locations[LOCATIONS_MAX];
    size_t count = symbols_lookup_loop(symbols, loop->header, locations);
    if (count > 0) {
        const char *slash = strrchr(locations[0].file, '/');
        printf("%s\t%u\t%s\t%s\t%u\n", function, loop->depth, locations[0].name, slash ? slash + 1 : locations[0].file,
               locations[0].line);
    }
    symbols_free_locations(locations, count);
}

/* The symbol's bytes in the file are those in memory: a test's small programs have their code in one segment. */
static void print_function(Dwfl_Module *module, struct symbols *symbols, const char *name, const GElf_Sym *symbol,
                           GElf_Addr low)
{
    GElf_Addr bias;
    Elf *elf = dwfl_module_getelf(module, &bias);
    Elf_Scn *section = elf_getscn(elf, symbol->st_shndx);
    Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
    GElf_Shdr header;
    if (!data || !gelf_getshdr(section, &header) || symbol->st_value - header.sh_addr + symbol->st_size > data->d_size)
        return;
    struct loops_function function = {.code = (const uint8_t *)data->d_buf + (symbol->st_value - header.sh_addr),
                                      .low = low,
                                      .high = low + symbol->st_size,
                                      .entry = low};
    size_t bytes = loops_work_bytes(symbol->st_size, symbol->st_size);
    void *work = malloc(bytes);
    struct loops loops;
    if (work && loops_find(&function, work, bytes, &loops) == LOOPS_FOUND)
        for (uint32_t i = 0; i < loops.loop_count; i++)
            print_loop(symbols, name, &loops.loops[i]);
    free(work);
}

int main(int argc, char **argv)
{
    struct symbols *symbols;
    if (argc != 3 || symbols_open(argv[1], argv[2], &symbols) != SYMBOLS_GOOD)
        return 1;
    Dwfl *dwfl = dwfl_begin(&callbacks);
    dwfl_report_begin(dwfl);
    Dwfl_Module *module = dwfl_report_elf(dwfl, argv[1], argv[1], -1, 0, true);
    dwfl_report_end(dwfl, NULL, NULL);
    int count = module ? dwfl_module_getsymtab(module) : 0;
    for (int i = 1; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);
        if (name && GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_size > 0)
            print_function(module, symbols, name, &symbol, address);
    }
    dwfl_end(dwfl);
    symbols_close(symbols);
    return 0;
}
