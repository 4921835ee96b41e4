#include "collect/exact/tool/instances/elf_functions.h"

#include <elf.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_libcfile.h>
#include <valgrind/pub_tool_libcprint.h>
#include <valgrind/pub_tool_mallocfree.h>
#include <valgrind/pub_tool_vki.h>

#include "collect/exact/tool/state/core.h"

enum { TABLE_BYTES_MAX = 1 << 30, BUILD_ID_MAX = 64, PATH_BYTES = 4096 };

struct elf {
    Int fd;
    Elf64_Ehdr header;
    Elf64_Shdr *sections; /* NULL: there are none */
};

struct search {
    const struct elf_part *part;
    Addr bias; /* what addresses are more than in the file */
    void (*visit)(const HChar *name, Addr address);
};

static Bool elf_functions_read(Int fd, void *out, SizeT bytes, ULong at)
{
    UChar *to = out;
    if (VG_(lseek)(fd, (Off64T)at, VKI_SEEK_SET) < 0)
        return False;
    while (bytes > 0) {
        Int got = VG_(read)(fd, to, (Int)bytes);
        if (got <= 0)
            return False;
        to += got;
        bytes -= (SizeT)got;
    }
    return True;
}

/* `count` items of `size` bytes from the file, for VG_(free)(); NULL: there are none. */
static void *elf_functions_read_table(Int fd, ULong at, ULong count, SizeT size)
{
    if (count == 0 || count > TABLE_BYTES_MAX / size)
        return NULL;
    void *table = VG_(malloc)("assay.symbols", count * size);
    if (elf_functions_read(fd, table, count * size, at))
        return table;
    VG_(free)(table);
    return NULL;
}

static Bool elf_functions_open(const HChar *path, struct elf *elf)
{
    SysRes file = VG_(open)(path, VKI_O_RDONLY, 0);
    if (sr_isError(file))
        return False;
    *elf = (struct elf){.fd = VG_(safe_fd)((Int)sr_Res(file))};
    if (!elf_functions_read(elf->fd, &elf->header, sizeof elf->header, 0) ||
        VG_(memcmp)(elf->header.e_ident, ELFMAG, SELFMAG) != 0 || elf->header.e_ident[EI_CLASS] != ELFCLASS64 ||
        elf->header.e_machine != EM_X86_64) {
        VG_(close)(elf->fd);
        return False;
    }
    if (elf->header.e_shentsize == sizeof *elf->sections)
        elf->sections =
            elf_functions_read_table(elf->fd, elf->header.e_shoff, elf->header.e_shnum, sizeof *elf->sections);
    return True;
}

static void elf_functions_close(struct elf *elf)
{
    if (elf->sections)
        VG_(free)(elf->sections);
    VG_(close)(elf->fd);
}

/* Where the file is in memory, by its segment that contains the mapped part. */
static Bool elf_functions_find_bias(const struct elf *elf, struct search *search)
{
    const struct elf_part *part = search->part;
    Bool found = False;
    if (elf->header.e_phentsize != sizeof(Elf64_Phdr))
        return False;
    Elf64_Phdr *segments =
        elf_functions_read_table(elf->fd, elf->header.e_phoff, elf->header.e_phnum, sizeof *segments);
    for (UInt i = 0; segments && i < elf->header.e_phnum && !found; i++) {
        const Elf64_Phdr *segment = &segments[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) ||
            part->offset + part->bytes <= segment->p_offset || segment->p_offset + segment->p_filesz <= part->offset)
            continue;
        search->bias = part->start - part->offset + segment->p_offset - segment->p_vaddr;
        found = True;
    }
    if (segments)
        VG_(free)(segments);
    return found;
}

static void elf_functions_visit_tables(const struct search *search, const struct elf *elf)
{
    for (UInt i = 0; elf->sections && i < elf->header.e_shnum; i++) {
        const Elf64_Shdr *table = &elf->sections[i];
        if ((table->sh_type != SHT_SYMTAB && table->sh_type != SHT_DYNSYM) || table->sh_entsize != sizeof(Elf64_Sym) ||
            table->sh_link >= elf->header.e_shnum)
            continue;
        const Elf64_Shdr *texts = &elf->sections[table->sh_link];
        ULong count = table->sh_size / sizeof(Elf64_Sym);
        Elf64_Sym *symbols = elf_functions_read_table(elf->fd, table->sh_offset, count, sizeof *symbols);
        HChar *names = elf_functions_read_table(elf->fd, texts->sh_offset, texts->sh_size, 1);
        for (ULong s = 0; symbols && names && names[texts->sh_size - 1] == '\0' && s < count; s++) {
            Addr address = symbols[s].st_value + search->bias;
            if (ELF64_ST_TYPE(symbols[s].st_info) == STT_FUNC && symbols[s].st_shndx != SHN_UNDEF &&
                symbols[s].st_name < texts->sh_size && address - search->part->start < search->part->bytes)
                search->visit(names + symbols[s].st_name, address);
        }
        if (symbols)
            VG_(free)(symbols);
        if (names)
            VG_(free)(names);
    }
}

/* Where the distribution installs the debug information of a file with this build id. False: it has none. */
static Bool elf_functions_debug_path(const struct elf *elf, HChar path[PATH_BYTES])
{
    UChar note[sizeof(Elf64_Nhdr) + 4 + BUILD_ID_MAX];
    for (UInt i = 0; elf->sections && i < elf->header.e_shnum; i++) {
        const Elf64_Shdr *section = &elf->sections[i];
        const Elf64_Nhdr *header = (const Elf64_Nhdr *)(void *)note;
        if (section->sh_type != SHT_NOTE || section->sh_size < sizeof *header + 4 || section->sh_size > sizeof note ||
            !elf_functions_read(elf->fd, note, section->sh_size, section->sh_offset) ||
            header->n_type != NT_GNU_BUILD_ID || header->n_namesz != 4 ||
            header->n_descsz > section->sh_size - sizeof *header - 4)
            continue;
        const UChar *id = note + sizeof *header + 4;
        UInt at = VG_(sprintf)(path, "/usr/lib/debug/.build-id/%02x/", (UInt)id[0]);
        for (UInt byte = 1; byte < header->n_descsz; byte++)
            at += VG_(sprintf)(path + at, "%02x", (UInt)id[byte]);
        VG_(sprintf)(path + at, ".debug");
        return True;
    }
    return False;
}

void elf_functions_each(const struct elf_part *part, void (*visit)(const HChar *name, Addr address))
{
    struct search search = {.part = part, .visit = visit};
    HChar path[PATH_BYTES];
    struct elf elf, debug;
    if (!elf_functions_open(part->path, &elf))
        return;
    if (elf_functions_find_bias(&elf, &search)) {
        elf_functions_visit_tables(&search, &elf);
        if (elf_functions_debug_path(&elf, path) && elf_functions_open(path, &debug)) {
            elf_functions_visit_tables(&search, &debug);
            elf_functions_close(&debug);
        }
    }
    elf_functions_close(&elf);
}
