#include "collect/symbols/elf_image.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool elf_image_map(const char *path, struct elf_image *image)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool good = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
    void *bytes = good ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (fd >= 0)
        close(fd);
    if (bytes == MAP_FAILED)
        return false;
    *image = (struct elf_image){bytes, (size_t)status.st_size};
    return true;
}

void elf_image_unmap(struct elf_image *image)
{
    if (image->bytes)
        munmap((void *)(uintptr_t)image->bytes, image->size);
    *image = (struct elf_image){0};
}

static const void *elf_image_part(const struct elf_image *image, uint64_t offset, uint64_t size, size_t alignment)
{
    if (offset > image->size || size > image->size - offset || offset % alignment != 0)
        return NULL;
    return (const char *)image->bytes + offset;
}

static const Elf64_Ehdr *elf_image_header(const struct elf_image *image)
{
    const Elf64_Ehdr *header = elf_image_part(image, 0, sizeof *header, 1);
    bool good = header && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_ident[EI_CLASS] == ELFCLASS64;
    return good ? header : NULL;
}

bool elf_image_table(const struct elf_image *image, uint32_t type, struct elf_image_table *table)
{
    const Elf64_Ehdr *header = elf_image_header(image);
    if (!header || header->e_shentsize != sizeof(Elf64_Shdr))
        return false;
    size_t count = header->e_shnum, i = 0;
    const Elf64_Shdr *sections = elf_image_part(image, header->e_shoff, count * sizeof *sections, _Alignof(Elf64_Shdr));
    while (sections && i < count && (sections[i].sh_type != type || sections[i].sh_link >= count))
        i++;
    if (!sections || i == count)
        return false;
    const Elf64_Shdr *section = &sections[i], *strings = &sections[section->sh_link];
    const Elf64_Sym *symbols = elf_image_part(image, section->sh_offset, section->sh_size, _Alignof(Elf64_Sym));
    const char *names = elf_image_part(image, strings->sh_offset, strings->sh_size, 1);
    if (!symbols || !names || strings->sh_size == 0 || names[strings->sh_size - 1])
        return false;
    *table = (struct elf_image_table){symbols, section->sh_size / sizeof *symbols, names, strings->sh_size};
    return true;
}

const uint8_t *elf_image_at(const struct elf_image *image, uint64_t address, uint64_t bytes)
{
    const Elf64_Ehdr *header = elf_image_header(image);
    if (!header || header->e_phentsize != sizeof(Elf64_Phdr))
        return NULL;
    const Elf64_Phdr *segments =
        elf_image_part(image, header->e_phoff, header->e_phnum * sizeof *segments, _Alignof(Elf64_Phdr));
    for (size_t i = 0; segments && i < header->e_phnum; i++) {
        uint64_t from = address - segments[i].p_vaddr;
        if (segments[i].p_type == PT_LOAD && from < segments[i].p_filesz && bytes <= segments[i].p_filesz - from &&
            from <= UINT64_MAX - segments[i].p_offset)
            return elf_image_part(image, segments[i].p_offset + from, bytes, 1);
    }
    return NULL;
}
