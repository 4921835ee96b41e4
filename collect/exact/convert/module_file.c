#include "collect/exact/convert/module_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Clocks of file systems are coarse, and CLOCK_REALTIME is set now and then. */
static const uint64_t SLACK_NS = UINT64_C(1000000000);

struct opened {
    int fd;
    Elf *elf; /* NULL: no such ELF file */
};

static struct opened module_file_open(const char *path)
{
    struct opened file = {open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), NULL};
    if (file.fd >= 0 && elf_version(EV_CURRENT) != EV_NONE)
        file.elf = elf_begin(file.fd, ELF_C_READ_MMAP, NULL);
    return file;
}

static void module_file_close(struct opened *file)
{
    elf_end(file->elf);
    if (file->fd >= 0)
        close(file->fd);
}

void module_file_build_id(const char *path, uint64_t mapped_ns, char text[BUILD_ID_TEXT_MAX])
{
    const void *bytes = NULL;
    struct stat status;
    struct opened file = module_file_open(path);
    text[0] = '\0';
    if (file.elf && fstat(file.fd, &status) == 0) {
        uint64_t changed_ns = (uint64_t)status.st_ctim.tv_sec * UINT64_C(1000000000) + (uint64_t)status.st_ctim.tv_nsec;
        ssize_t size = changed_ns <= mapped_ns + SLACK_NS ? dwelf_elf_gnu_build_id(file.elf, &bytes) : 0;
        for (ssize_t i = 0; i < size && 2 * i + 2 < BUILD_ID_TEXT_MAX; i++)
            snprintf(text + 2 * i, 3, "%02x", ((const unsigned char *)bytes)[i]);
    }
    module_file_close(&file);
}

void module_file_functions(const char *path, void (*visit)(const char *symbol, void *user), void *user)
{
    struct opened file = module_file_open(path);
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    while (file.elf && (section = elf_nextscn(file.elf, section))) {
        if (!gelf_getshdr(section, &header) || (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        size_t count = data && header.sh_entsize > 0 ? header.sh_size / header.sh_entsize : 0;
        for (size_t i = 0; i < count; i++) {
            GElf_Sym symbol;
            const char *name =
                gelf_getsym(data, (int)i, &symbol) ? elf_strptr(file.elf, header.sh_link, symbol.st_name) : NULL;
            if (name && GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF)
                visit(name, user);
        }
    }
    module_file_close(&file);
}

void module_file_segments(const char *path, uint64_t *low, uint64_t *high)
{
    uint64_t first = UINT64_MAX, last = 0;
    size_t count = 0;
    struct opened file = module_file_open(path);
    if (file.elf)
        elf_getphdrnum(file.elf, &count);
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(file.elf, (int)i, &segment) || segment.p_type != PT_LOAD)
            continue;
        first = segment.p_vaddr < first ? segment.p_vaddr : first;
        last = segment.p_vaddr + segment.p_memsz > last ? segment.p_vaddr + segment.p_memsz : last;
    }
    module_file_close(&file);
    *low = first < last ? first : 0;
    *high = first < last ? last : 0;
}
