#include "collect/native/symbol_table.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const void *part_of(const struct symbol_table *table, uint64_t offset, uint64_t bytes)
{
    if (offset > table->image_bytes || bytes > table->image_bytes - offset || offset % sizeof(uint64_t) != 0)
        return NULL;
    return (const char *)table->image + offset;
}

static bool map(const char *path, struct symbol_table *table)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool good = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
    void *image = good ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (fd >= 0)
        close(fd);
    if (image == MAP_FAILED)
        return false;
    *table = (struct symbol_table){.image = image, .image_bytes = (size_t)status.st_size};
    return true;
}

static const Elf64_Shdr *sections_of(const struct symbol_table *table, size_t *count)
{
    const Elf64_Ehdr *header = part_of(table, 0, sizeof *header);
    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_shentsize != sizeof(Elf64_Shdr))
        return NULL;
    *count = header->e_shnum;
    return part_of(table, header->e_shoff, *count * sizeof(Elf64_Shdr));
}

static bool take_symbols(struct symbol_table *table, const Elf64_Shdr *section, const Elf64_Shdr *strings)
{
    const Elf64_Sym *from = part_of(table, section->sh_offset, section->sh_size);
    size_t count = section->sh_size / sizeof *from, end = strings->sh_offset + strings->sh_size;
    const char *names = table->image;
    if (!from || strings->sh_size == 0 || end < strings->sh_offset || end > table->image_bytes || names[end - 1])
        return false;
    names += strings->sh_offset;
    table->symbols = calloc(count, sizeof *table->symbols);
    for (size_t i = 0; table->symbols && i < count; i++)
        if (ELF64_ST_TYPE(from[i].st_info) == STT_FUNC && from[i].st_shndx != SHN_UNDEF &&
            from[i].st_name < strings->sh_size)
            table->symbols[table->count++] =
                (struct symbol){from[i].st_value, from[i].st_size, names + from[i].st_name};
    return table->count > 0;
}

static bool take_section(struct symbol_table *table, uint32_t type)
{
    size_t count = 0;
    const Elf64_Shdr *sections = sections_of(table, &count);
    for (size_t i = 0; sections && i < count; i++)
        if (sections[i].sh_type == type && sections[i].sh_link < count)
            return take_symbols(table, &sections[i], &sections[sections[i].sh_link]);
    return false;
}

static int compare(const void *left, const void *right)
{
    const struct symbol *a = left, *b = right;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

bool symbol_table_read(const char *path, struct symbol_table *table)
{
    *table = (struct symbol_table){0};
    if (!map(path, table))
        return false;
    if (!take_section(table, SHT_SYMTAB) && !take_section(table, SHT_DYNSYM)) {
        symbol_table_free(table);
        return false;
    }
    qsort(table->symbols, table->count, sizeof *table->symbols, compare);
    return true;
}

void symbol_table_free(struct symbol_table *table)
{
    free(table->symbols);
    if (table->image)
        munmap(table->image, table->image_bytes);
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
