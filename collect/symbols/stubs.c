#include "collect/symbols/module.h"

#include <assert.h>
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The bytes of one stub. */
struct stub {
    const uint8_t *bytes;
    size_t size;
    uint64_t address; /* in the file's address space, as all of them here */
};

/* ---------------------------------------------------------------------------- its code -- */

static bool stubs_is_section(const char *name)
{
    static const char *const names[] = {".plt", ".plt.sec", ".plt.got", ".iplt"};
    for (size_t i = 0; name && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static const char *stubs_section_name(Elf *elf, const GElf_Shdr *header)
{
    size_t names;
    return elf_getshdrstrndx(elf, &names) == 0 ? elf_strptr(elf, names, header->sh_name) : NULL;
}

static bool stubs_find(Elf *elf, uint64_t address, struct stub *stub)
{
    GElf_Shdr header;
    Elf_Scn *section = NULL;
    do {
        section = elf_nextscn(elf, section);
        if (!section)
            return false;
    } while (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS || address < header.sh_addr ||
             address - header.sh_addr >= header.sh_size || !stubs_is_section(stubs_section_name(elf, &header)));
    /* All stubs of a section have the same size. */
    Elf_Data *data = elf_rawdata(section, NULL);
    uint64_t size = header.sh_entsize ? header.sh_entsize : 16, from = (address - header.sh_addr) / size * size;
    if (!data || !data->d_buf || from + size > data->d_size)
        return false;
    assert(address - header.sh_addr - from < size);
    *stub = (struct stub){(const uint8_t *)data->d_buf + from, size, header.sh_addr + from};
    return true;
}

static bool stubs_skip_bytes(const struct stub *stub, size_t *at, const char *bytes, size_t count)
{
    assert(*at <= stub->size);
    if (stub->size - *at < count || memcmp(stub->bytes + *at, bytes, count) != 0)
        return false;
    *at += count;
    return true;
}

static bool stubs_read_32(const struct stub *stub, size_t *at, uint32_t *value)
{
    assert(*at <= stub->size);
    if (stub->size - *at < 4)
        return false;
    *value = 0;
    for (size_t i = 0; i < 4; i++)
        *value |= (uint32_t)stub->bytes[*at + i] << 8 * i;
    *at += 4;
    return true;
}

/* The slot of [endbr64] [mov $index,%r11d] [bnd] jmp *slot(%rip). */
static bool stubs_read_slot(const struct stub *stub, uint64_t *slot)
{
    size_t at = 0;
    uint32_t value;
    stubs_skip_bytes(stub, &at, "\xf3\x0f\x1e\xfa", 4);
    if (stubs_skip_bytes(stub, &at, "\x41\xbb", 2) && !stubs_read_32(stub, &at, &value))
        return false;
    stubs_skip_bytes(stub, &at, "\xf2", 1);
    if (!stubs_skip_bytes(stub, &at, "\xff\x25", 2) || !stubs_read_32(stub, &at, &value))
        return false;
    *slot = stub->address + at + (uint64_t)(int64_t)(int32_t)value;
    return true;
}

/* ---------------------------------------------------------------------------- its relocation -- */

/* The function that is chosen at run time by the resolver at the position: the alias by which callers know it. The
 * linker's own aliases are local, the library's begin with `__`. */
static const char *stubs_indirect_function(Dwfl_Module *module, uint64_t position)
{
    int count = dwfl_module_getsymtab(module);
    const char *best = NULL;
    bool best_is_local = false;
    for (int i = 1; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr value;
        const char *name = dwfl_module_getsym_info(module, i, &symbol, &value, NULL, NULL, NULL);
        bool is_local = name && GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
        if (!name || !*name || GELF_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC || value != position)
            continue;
        if (!best || (is_local == best_is_local ? strcspn(name, "@") < strcspn(best, "@") : best_is_local)) {
            best = name;
            best_is_local = is_local;
        }
    }
    return best ? best : dwfl_module_addrname(module, position);
}

static const char *stubs_symbol_name(Elf *elf, const GElf_Shdr *relocations, size_t index)
{
    Elf_Scn *section = index ? elf_getscn(elf, relocations->sh_link) : NULL;
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    GElf_Shdr header;
    GElf_Sym symbol;
    if (!data || index > INT32_MAX || !gelf_getshdr(section, &header) || !gelf_getsym(data, (int)index, &symbol))
        return NULL;
    const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
    return name && *name ? name : NULL;
}

/* A search in a section of relocations: for the slot or, if `by_index`, the index. */
struct wanted {
    bool by_index;
    uint32_t index;
    uint64_t slot;
};

static const char *stubs_relocation_name(Dwfl_Module *module, Elf *elf, uint64_t bias, const struct wanted *wanted)
{
    GElf_Shdr header;
    GElf_Rela found;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA || !(header.sh_flags & SHF_ALLOC))
            continue;
        const char *name = wanted->by_index ? stubs_section_name(elf, &header) : NULL;
        if (wanted->by_index && (!name || strcmp(name, ".rela.plt") != 0))
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        size_t count = data && header.sh_entsize ? data->d_size / header.sh_entsize : 0;
        bool has = false;
        for (size_t i = wanted->by_index ? wanted->index : 0; i < count && i <= INT32_MAX && !has; i++) {
            if (!gelf_getrela(data, (int)i, &found))
                break;
            has = wanted->by_index || found.r_offset == wanted->slot;
        }
        if (!has)
            continue;
        switch (GELF_R_TYPE(found.r_info)) {
        case R_X86_64_JUMP_SLOT:
        case R_X86_64_GLOB_DAT:
            return stubs_symbol_name(elf, &header, GELF_R_SYM(found.r_info));
        case R_X86_64_IRELATIVE:
            return stubs_indirect_function(module, (uint64_t)found.r_addend + bias);
        default:
            return NULL;
        }
    }
    return NULL;
}

const char *stubs_target(Dwfl_Module *module, uint64_t position)
{
    GElf_Addr bias;
    GElf_Ehdr header;
    struct stub stub;
    struct wanted wanted = {0};
    Elf *elf = dwfl_module_getelf(module, &bias);
    if (!elf || !gelf_getehdr(elf, &header) || header.e_machine != EM_X86_64 ||
        !stubs_find(elf, position - bias, &stub))
        return NULL;
    if (!stubs_read_slot(&stub, &wanted.slot)) {
        /* The entry of .rela.plt that [endbr64] push $index makes the dynamic linker bind: for stubs whose jump is in
         * .plt.sec. */
        size_t at = 0;
        stubs_skip_bytes(&stub, &at, "\xf3\x0f\x1e\xfa", 4);
        wanted.by_index = stubs_skip_bytes(&stub, &at, "\x68", 1) && stubs_read_32(&stub, &at, &wanted.index);
    }
    return wanted.slot || wanted.by_index ? stubs_relocation_name(module, elf, bias, &wanted) : NULL;
}
