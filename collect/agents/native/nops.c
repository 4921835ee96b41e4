#include "collect/agents/native/nops.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---------------------------------------------------------------------------- reading -- */

static const ElfW(Phdr) * nops_find_segment(const struct dl_phdr_info *info, uint64_t address, uint64_t bytes)
{
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uint64_t start = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && address >= start && bytes <= segment->p_memsz &&
            address - start <= segment->p_memsz - bytes)
            return segment;
    }
    return NULL;
}

static const ElfW(Dyn) * nops_dynamic_section(const struct dl_phdr_info *info)
{
    for (size_t i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            return (const ElfW(Dyn) *)(uintptr_t)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    return NULL;
}

/* Returns a value of the dynamic section; 0: it has none. */
static uint64_t nops_dynamic_value(const struct dl_phdr_info *info, int64_t tag)
{
    const ElfW(Dyn) *entry = nops_dynamic_section(info);
    while (entry && entry->d_tag != DT_NULL && entry->d_tag != tag)
        entry++;
    return entry && entry->d_tag == tag ? entry->d_un.d_val : 0;
}

/* Returns an address of the dynamic section, which the dynamic linker may already have relocated. */
static uint64_t nops_dynamic_address(const struct dl_phdr_info *info, int64_t tag)
{
    uint64_t value = nops_dynamic_value(info, tag);
    return value != 0 && value < info->dlpi_addr ? value + info->dlpi_addr : value;
}

bool nops_has_name(const struct nops_file *file, const char *name)
{
    uint64_t names = nops_dynamic_address(file->info, DT_STRTAB), bytes = nops_dynamic_value(file->info, DT_STRSZ);
    return names != 0 && nops_find_segment(file->info, names, bytes) &&
           memmem((const void *)(uintptr_t)names, bytes, name, strlen(name) + 1);
}

static void nops_append_locations(struct nops_file *file, uint64_t address, uint64_t bytes)
{
    uint64_t bias = file->info->dlpi_addr, table = nops_dynamic_address(file->info, DT_RELA);
    uint64_t table_bytes = nops_dynamic_value(file->info, DT_RELASZ);
    size_t count = bytes / sizeof(uint64_t);
    file->locations = malloc(count * sizeof *file->locations + 1);
    if (!file->locations)
        return;
    file->location_count = count;
    memcpy(file->locations, (const void *)(uintptr_t)address, count * sizeof *file->locations);
    for (size_t i = 0; i < count; i++)
        if (file->locations[i] < bias) /* not relocated: the location holds the addend */
            file->locations[i] += bias;
    /* Some the dynamic linker computes from relocations with an addend. */
    if (!nops_find_segment(file->info, table, table_bytes))
        return;
    const ElfW(Rela) *relocations = (const ElfW(Rela) *)(uintptr_t)table;
    for (size_t i = 0; i < table_bytes / sizeof *relocations; i++) {
        uint64_t offset = bias + relocations[i].r_offset - address, addend = (uint64_t)relocations[i].r_addend;
        if (ELF64_R_TYPE(relocations[i].r_info) == R_X86_64_RELATIVE && offset / sizeof(uint64_t) < count)
            file->locations[offset / sizeof(uint64_t)] = bias + addend;
    }
}

static void nops_find_sections(struct nops_file *file, const uint8_t *bytes, size_t size)
{
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)(const void *)bytes;
    if (size < sizeof *header || memcmp(bytes, ELFMAG, SELFMAG) != 0 || header->e_shentsize != sizeof(ElfW(Shdr)) ||
        header->e_shoff > size || (size - header->e_shoff) / sizeof(ElfW(Shdr)) < header->e_shnum ||
        header->e_shstrndx >= header->e_shnum || header->e_shoff % sizeof(uint64_t) != 0)
        return;
    const ElfW(Shdr) *sections = (const ElfW(Shdr) *)(const void *)(bytes + header->e_shoff);
    const ElfW(Shdr) *names = &sections[header->e_shstrndx];
    static const char wanted[] = "__patchable_function_entries";
    for (size_t i = 0; i < header->e_shnum; i++) {
        uint64_t at = names->sh_offset + sections[i].sh_name, address = file->info->dlpi_addr + sections[i].sh_addr;
        if (at > size || size - at < sizeof wanted || memcmp(bytes + at, wanted, sizeof wanted) != 0 ||
            !nops_find_segment(file->info, address, sections[i].sh_size))
            continue;
        nops_append_locations(file, address, sections[i].sh_size);
        return;
    }
}

void nops_read_locations(struct nops_file *file)
{
    int fd = open(*file->info->dlpi_name ? file->info->dlpi_name : "/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd < 0)
        return;
    if (fstat(fd, &status) == 0 && status.st_size > 0) {
        size_t size = (size_t)status.st_size;
        void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            nops_find_sections(file, bytes, size);
            munmap(bytes, size);
        }
    }
    close(fd);
}

struct nops_file nops_read(const struct dl_phdr_info *info)
{
    enum { UDATA4 = 0x03, DATAREL_SDATA4 = 0x3b };
    const char *slash = strrchr(info->dlpi_name, '/');
    struct nops_file file = {.info = info, .name = slash ? slash + 1 : info->dlpi_name, .low = UINT64_MAX};
    if (!*file.name)
        file.name = program_invocation_short_name;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uint64_t start = info->dlpi_addr + segment->p_vaddr;
        const uint8_t *header = (const uint8_t *)(uintptr_t)start;
        /* Only the usual form of .eh_frame_hdr is read, a sorted table of offsets. */
        if (segment->p_type == PT_GNU_EH_FRAME && header[0] == 1 && header[2] == UDATA4 &&
            header[3] == DATAREL_SDATA4) {
            uint32_t count;
            memcpy(&count, header + 8, sizeof count);
            file.begin_count = count;
            file.begins = (const int32_t *)(const void *)(header + 12);
            file.table = start;
        }
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        file.low = start < file.low ? start : file.low;
        file.high = start + segment->p_memsz > file.high ? start + segment->p_memsz : file.high;
    }
    return file;
}

/* ---------------------------------------------------------------------------- machine code -- */

/* Returns the length of the instruction in bytes if it does nothing; otherwise 0. */
static size_t nops_instruction_bytes(const uint8_t *code)
{
    size_t at = 0;
    while (code[at] == 0x66 || code[at] == 0x2e)
        at++;
    if (code[at] == 0x90)
        return at + 1;
    if (code[at] != 0x0f || code[at + 1] != 0x1f)
        return 0;
    unsigned form = code[at + 2] >> 6, address = code[at + 2] & 7;
    static const size_t displacements[] = {0, 1, 4, 0};
    return at + 3 + (form != 3 && address == 4) + displacements[form];
}

bool nops_is_endbr(uint64_t code)
{
    return memcmp((const void *)(uintptr_t)code, "\xf3\x0f\x1e\xfa", NOPS_ENDBR_BYTES) == 0;
}

/* Returns where the first function at or after `location` begins; 0: unknown. */
static uint64_t nops_function_from(const struct nops_file *file, uint64_t location)
{
    size_t low = 0, high = file->begin_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (file->table + (uint64_t)(int64_t)file->begins[2 * middle] < location)
            low = middle + 1;
        else
            high = middle;
    }
    return low < file->begin_count ? file->table + (uint64_t)(int64_t)file->begins[2 * low] : 0;
}

uint64_t nops_find(const struct nops_file *file, uint64_t location)
{
    uint64_t begin = nops_function_from(file, location), at = location;
    if (nops_is_endbr(location))
        return location + NOPS_ENDBR_BYTES;
    if (nops_function_from(file, location - NOPS_ENDBR_BYTES) == location - NOPS_ENDBR_BYTES &&
        nops_is_endbr(location - NOPS_ENDBR_BYTES))
        return location;
    if (begin == 0 || begin == location)
        return location;
    /* Only nops may be between. */
    while (at < begin) {
        size_t bytes = nops_instruction_bytes((const uint8_t *)(uintptr_t)at);
        if (bytes == 0)
            return location;
        at += bytes;
    }
    if (at != begin)
        return location;
    return nops_is_endbr(begin) ? begin + NOPS_ENDBR_BYTES : begin;
}

uint64_t nops_resume(uint64_t nops)
{
    uint64_t at = nops;
    while (at - nops < NOPS_JUMP_BYTES) {
        size_t bytes = nops_instruction_bytes((const uint8_t *)(uintptr_t)at);
        if (bytes == 0)
            return 0;
        at += bytes;
    }
    return at;
}

bool nops_at_return(uint64_t at, uint64_t to)
{
    enum { RETURN = 0xc3 };
    uint64_t end = at + (nops_is_endbr(at) ? NOPS_ENDBR_BYTES : 0);
    int64_t distance = (int64_t)(to - at - NOPS_JUMP_BYTES);
    if (distance != (int32_t)distance || *(const uint8_t *)(uintptr_t)end++ != RETURN)
        return false;
    for (size_t bytes; end < at + NOPS_JUMP_BYTES; end += bytes)
        if ((bytes = nops_instruction_bytes((const uint8_t *)(uintptr_t)end)) == 0)
            return false;
    return true;
}
