#include "collect/symbols/symbols.h"

#include <assert.h>
#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "collect/symbols/demangle.h"
#include "collect/symbols/module.h"
#include "collect/symbols/ranges.h"
#include "base/transfer.h"

/* A module's compilation units, according to the units themselves: not all compilers write the table .debug_aranges,
 * which libdw uses (clang does so only on request). */
struct units {
    struct ranges ranges;
    bool made;
};

struct symbols {
    Dwfl *dwfl;
    Dwfl_Module *module;
    struct units units;
    struct functions functions;
    struct symbol_names names;
    char *base; /* the module's name without directories */
};

/* Debug files on this machine only: with DEBUGINFOD_URLS set, the standard finder would use the network. */
static int symbols_find_debug_file(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
                                   const char *file, const char *link, GElf_Word crc, char **found)
{
    int fd = dwfl_build_id_find_debuginfo(module, user, name, base, file, link, crc, found);
    if (fd >= 0 || getenv("DEBUGINFOD_URLS"))
        return fd;
    return dwfl_standard_find_debuginfo(module, user, name, base, file, link, crc, found);
}

static int symbols_find_no_elf(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, char **file,
                               Elf **elf)
{
    (void)module, (void)user, (void)name, (void)base, (void)file, (void)elf;
    return -1;
}

static char *debug_directories; /* NULL: libdwfl's default */

static const Dwfl_Callbacks callbacks = {
    .find_elf = symbols_find_no_elf,
    .find_debuginfo = symbols_find_debug_file,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = &debug_directories,
};

/* The kernel's vdso is in every process: ours can be used if it has the wanted build id. */
static int symbols_open_vdso(void)
{
    const Elf64_Ehdr *header = (const void *)getauxval(AT_SYSINFO_EHDR);
    int fd = header ? memfd_create("vdso", MFD_CLOEXEC) : -1;
    if (fd < 0)
        return -1;
    size_t size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
    if (transfer_write(fd, header, size))
        return fd;
    close(fd);
    return -1;
}

static bool symbols_same_build_id(Dwfl_Module *module, const char *expected)
{
    const unsigned char *bytes = NULL;
    GElf_Addr address;
    int size = dwfl_module_build_id(module, &bytes, &address);
    if (size <= 0 || strlen(expected) != 2 * (size_t)size)
        return size <= 0 && expected[0] == '\0';
    for (int i = 0; i < size; i++) {
        char digits[3];
        snprintf(digits, sizeof digits, "%02x", bytes[i]);
        if (memcmp(digits, expected + 2 * i, 2) != 0)
            return false;
    }
    return true;
}

/* ---------------------------------------------------------------------------- units -- */

/* The unit that contains the address, or false: gaps between parts of a unit do not belong to it. */
static bool symbols_units_find(struct units *units, Dwarf *debug, Dwarf_Addr address, Dwarf_Die *unit)
{
    if (!units->made) {
        Dwarf_Die die;
        for (Dwarf_CU *next = NULL; dwarf_get_units(debug, next, &next, NULL, NULL, &die, NULL) == 0;)
            ranges_add(&units->ranges, &die);
        ranges_sort(&units->ranges);
        units->made = true;
    }
    const Dwarf_Die *found = ranges_find(&units->ranges, address);
    if (!found)
        return dwarf_addrdie(debug, address, unit) != NULL; /* of an assembler that gives it only in the table */
    *unit = *found;
    return true;
}

/* ---------------------------------------------------------------------------- modules -- */

enum symbols_status symbols_open(const char *path, const char *build_id, struct symbols **out)
{
    enum symbols_status status = SYMBOLS_MISSING;
    int fd = strcmp(path, "[vdso]") == 0 ? symbols_open_vdso() : -1;
    struct symbols *symbols = calloc(1, sizeof *symbols);
    GElf_Addr bias;
    if (symbols && (symbols->base = strdup(basename(path))) && (symbols->dwfl = dwfl_begin(&callbacks))) {
        dwfl_report_begin(symbols->dwfl);
        symbols->module = dwfl_report_elf(symbols->dwfl, path, path, fd, 0, true);
        dwfl_report_end(symbols->dwfl, NULL, NULL);
    }
    if (symbols && symbols->module && dwfl_module_getelf(symbols->module, &bias))
        status = symbols_same_build_id(symbols->module, build_id) ? SYMBOLS_GOOD : SYMBOLS_CHANGED;
    else if (fd >= 0 && !(symbols && symbols->module))
        close(fd);
    if (status == SYMBOLS_GOOD)
        *out = symbols;
    else
        symbols_close(symbols);
    return status;
}

void symbols_close(struct symbols *symbols)
{
    if (!symbols)
        return;
    functions_free(&symbols->functions);
    symbol_names_free(&symbols->names);
    ranges_free(&symbols->units.ranges);
    dwfl_end(symbols->dwfl);
    free(symbols->base);
    free(symbols);
}

void symbols_free_locations(struct location *locations, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(locations[i].name);
        free(locations[i].signature);
        free(locations[i].file);
    }
}

static bool symbols_set_location(struct location *location, const char *symbol, const char *file)
{
    *location = (struct location){0};
    if (demangle(symbol, &location->name, &location->signature) != 0)
        return false;
    location->file = strdup(file);
    if (location->file)
        return true;
    symbols_free_locations(location, 1);
    return false;
}

/* Where code comes from. */
struct source {
    const char *file; /* libdw's; NULL: unknown */
    uint32_t line;    /* 0: not known */
};

static Dwarf_Word symbols_attribute_number(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute found;
    Dwarf_Word number = 0;
    if (dwarf_attr(die, attribute, &found))
        dwarf_formudata(&found, &number);
    return number;
}

static struct source symbols_call_source(Dwarf_Die *inlined)
{
    Dwarf_Die unit;
    Dwarf_Files *files;
    size_t count;
    struct source source = {0};
    Dwarf_Word line = symbols_attribute_number(inlined, DW_AT_call_line),
               file = symbols_attribute_number(inlined, DW_AT_call_file);
    if (line > 0 && line <= UINT32_MAX)
        source.line = (uint32_t)line;
    if (source.line && dwarf_diecu(inlined, &unit, NULL, NULL) && dwarf_getsrcfiles(&unit, &files, &count) == 0)
        source.file = dwarf_filesrc(files, file, NULL, NULL);
    return source;
}

/* Functions among the scopes, innermost first, each at the line and position from which the previous one was called. */
static size_t symbols_add_functions(const struct symbols *symbols, Dwarf_Die *scopes, int count, struct source source,
                                    uint64_t position, struct location *locations)
{
    size_t taken = 0;
    for (int i = 0; i < count && taken < LOCATIONS_MAX; i++) {
        int tag = dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram && tag != DW_TAG_entry_point)
            continue;
        /* The linkage name tells overloads apart; C has none. */
        Dwarf_Attribute attribute;
        bool linked = dwarf_attr_integrate(&scopes[i], DW_AT_linkage_name, &attribute) ||
                      dwarf_attr_integrate(&scopes[i], DW_AT_MIPS_linkage_name, &attribute);
        const char *name = linked ? dwarf_formstring(&attribute) : NULL, *file = dwarf_decl_file(&scopes[i]);
        if (!name)
            name = dwarf_diename(&scopes[i]);
        if (!file) /* of assembler, or of generated code: that of the code */
            file = source.file ? source.file : symbols->base;
        if (!name || !symbols_set_location(&locations[taken], name, file))
            break;
        locations[taken].line = source.line;
        locations[taken++].position = position;
        if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine)
            return taken;
        Dwarf_Addr entry = position;
        source = symbols_call_source(&scopes[i]);
        dwarf_entrypc(&scopes[i], &entry);
        position = entry;
    }
    assert(taken <= LOCATIONS_MAX);
    /* A chain without an outermost function would put its callers under the wrong function. */
    symbols_free_locations(locations, taken);
    return 0;
}

static struct source symbols_source_at(Dwarf_Die *unit, Dwarf_Addr address)
{
    Dwarf_Line *line = dwarf_getsrc_die(unit, address);
    int number = 0;
    if (!line || dwarf_lineno(line, &number) != 0 || number <= 0)
        return (struct source){0};
    return (struct source){dwarf_linesrc(line, NULL, NULL), (uint32_t)number};
}

/* A stub that jumps to FUNCTION is named FUNCTION@plt, as in disassemblers. */
static size_t symbols_lookup_stub(const struct symbols *symbols, uint64_t position, struct location *location)
{
    const char *target = stubs_target(symbols->module, position);
    char *unversioned = target ? strndup(target, strcspn(target, "@")) : NULL, *name = NULL;
    bool good = unversioned && symbols_set_location(location, unversioned, symbols->base);
    free(unversioned);
    if (!good)
        return 0;
    if (asprintf(&name, "%s@plt", location->name) < 0) {
        symbols_free_locations(location, 1);
        return 0;
    }
    free(location->name);
    location->name = name;
    location->position = position;
    return 1;
}

size_t symbols_lookup(struct symbols *symbols, uint64_t position, struct location locations[LOCATIONS_MAX])
{
    Dwarf_Addr bias = 0;
    Dwarf_Die unit;
    Dwarf *debug = dwfl_module_getdwarf(symbols->module, &bias);
    bool in_unit = debug && symbols_units_find(&symbols->units, debug, position - bias, &unit);
    struct source source = {0};
    size_t count = 0;
    if (in_unit) {
        Dwarf_Addr address = position - bias;
        Dwarf_Die around[LOCATIONS_MAX], *scopes = NULL, *parents = NULL;
        source = symbols_source_at(&unit, address);
        size_t found = functions_at(&symbols->functions, &unit, address, around, LOCATIONS_MAX);
        if (found > 0) {
            count = symbols_add_functions(symbols, around, (int)found, source, position, locations);
        } else if (dwarf_getscopes(&unit, address, &scopes) > 0) {
            /* The scopes of a location in an inlined function continue with those of its source; its parents are those
             * of the code. */
            int parent_count = dwarf_getscopes_die(&scopes[0], &parents);
            count = symbols_add_functions(symbols, parents, parent_count, source, position, locations);
            free(parents);
        }
        free(scopes);
    }
    if (count == 0)
        count = symbols_lookup_stub(symbols, position, locations);
    assert(count <= LOCATIONS_MAX);
    if (count > 0)
        return count;
    const char *name = symbol_names_at(&symbols->names, symbols->module, position);
    if (!name || !*name || !symbols_set_location(locations, name, source.file ? source.file : symbols->base))
        return 0;
    locations->line = source.line;
    locations->position = position;
    return 1;
}

/* ---------------------------------------------------------------------------- loops -- */

/* The functions around all instructions examined so far, innermost first, and the first line in the innermost. */
struct loop_location {
    Dwarf_Die functions[LOCATIONS_MAX];
    size_t count; /* 0: no instruction yet */
    struct source source;
};

/* The source position seen from the `outermost` outermost functions: inlined code counts at its call. */
static struct source symbols_source_from(Dwarf_Die *functions, size_t count, struct source source, size_t outermost)
{
    assert(outermost <= count);
    return outermost < count ? symbols_call_source(&functions[count - 1 - outermost]) : source;
}

/* The instructions of a loop, in their unit. */
struct loop_code {
    Dwarf_Die unit;
    Dwarf_Addr bias;
    struct loop_instruction *instructions;
    size_t count;
};

static void symbols_scan_loop(struct symbols *symbols, struct loop_code *code, bool all, struct loop_location *loop)
{
    Dwarf_Die around[LOCATIONS_MAX];
    for (size_t i = 0; i < code->count; i++) {
        Dwarf_Addr address = code->instructions[i].position - code->bias;
        bool wanted = all || code->instructions[i].control;
        struct source source = wanted ? symbols_source_at(&code->unit, address) : (struct source){0};
        size_t found = source.line ? functions_at(&symbols->functions, &code->unit, address, around, LOCATIONS_MAX) : 0;
        if (found == 0)
            continue;
        if (loop->count == 0) {
            memcpy(loop->functions, around, found * sizeof *around);
            loop->count = found;
            loop->source = source;
            continue;
        }
        size_t common = 0; /* the number of outermost functions that are equal */
        while (common < loop->count && common < found &&
               dwarf_dieoffset(&loop->functions[loop->count - 1 - common]) ==
                   dwarf_dieoffset(&around[found - 1 - common]))
            common++;
        struct source before = symbols_source_from(loop->functions, loop->count, loop->source, common);
        struct source here = symbols_source_from(around, found, source, common);
        assert(common <= loop->count && common <= found);
        memmove(loop->functions, loop->functions + loop->count - common, common * sizeof *around);
        loop->count = common;
        loop->source = here.line && (!before.line || here.line < before.line) ? here : before;
    }
}

size_t symbols_lookup_loop(struct symbols *symbols, uint64_t header, struct location locations[LOCATIONS_MAX])
{
    struct loop_code code = {.bias = 0};
    Dwarf *debug = dwfl_module_getdwarf(symbols->module, &code.bias);
    struct loop_location loop = {.count = 0};
    if (debug && symbols_units_find(&symbols->units, debug, header - code.bias, &code.unit)) {
        code.count = loop_find(symbols->module, header, &code.instructions);
        symbols_scan_loop(symbols, &code, false, &loop);
        if (loop.count == 0)
            symbols_scan_loop(symbols, &code, true, &loop);
        free(code.instructions);
    }
    size_t taken = symbols_add_functions(symbols, loop.functions, (int)loop.count, loop.source, header, locations);
    return taken ? taken : symbols_lookup(symbols, header, locations);
}
