#include "base/program_image.h"

#include <elf.h>

enum { SEGMENTS_MAX = 32, ENTRIES_MAX = 512, NAME_BYTES = 256 };

/* Names of sanitizers' libraries, and of functions of those that are linked statically. */
static const char *const sanitizers[] = {"libasan.so",  "libtsan.so",  "liblsan.so",  "libhwasan.so", "__asan_init",
                                         "__tsan_init", "__msan_init", "__lsan_init", "__hwasan_init"};

struct image {
    program_reader read;
    int file;
    Elf64_Ehdr header;
    Elf64_Phdr segments[SEGMENTS_MAX];
    size_t segment_count;
};

static bool program_image_read_at(const struct image *image, void *out, size_t bytes, uint64_t at)
{
    return image->read(image->file, out, bytes, at) == (long)bytes;
}

static const Elf64_Phdr *program_image_find_segment(const struct image *image, unsigned type)
{
    for (size_t i = 0; i < image->segment_count; i++)
        if (image->segments[i].p_type == type)
            return &image->segments[i];
    return NULL;
}

static bool program_image_name_has_prefix(const char *text, const char *end, const char *word)
{
    while (*word && text < end && *text == *word) {
        text++;
        word++;
    }
    return *word == '\0';
}

static bool program_image_name_is_sanitizer(const char *at, const char *end)
{
    for (size_t i = 0; i < sizeof sanitizers / sizeof *sanitizers; i++)
        if (program_image_name_has_prefix(at, end, sanitizers[i]))
            return true;
    return false;
}

/* Other C libraries name their dynamic linkers after themselves. */
static bool program_image_is_for_glibc(const struct image *image)
{
    static const char *const others[] = {"ld-musl", "ld-uClibc", "ld64-uClibc", "linker"};
    char interpreter[NAME_BYTES] = "";
    const Elf64_Phdr *segment = program_image_find_segment(image, PT_INTERP);
    size_t bytes = segment->p_filesz < sizeof interpreter ? segment->p_filesz : sizeof interpreter - 1;
    if (!program_image_read_at(image, interpreter, bytes, segment->p_offset))
        return true;
    const char *name = interpreter, *end = interpreter + sizeof interpreter;
    for (const char *at = interpreter; *at; at++)
        if (*at == '/')
            name = at + 1;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (program_image_name_has_prefix(name, end, others[i]))
            return false;
    return true;
}

static enum program_kind program_image_kind(struct image *image)
{
    const Elf64_Ehdr *header = &image->header;
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_X86_64)
        return PROGRAM_FOREIGN;
    image->segment_count = header->e_phnum < SEGMENTS_MAX ? header->e_phnum : SEGMENTS_MAX;
    if (header->e_phentsize != sizeof *image->segments ||
        !program_image_read_at(image, image->segments, image->segment_count * sizeof *image->segments, header->e_phoff))
        return PROGRAM_ORDINARY;
    const Elf64_Phdr *dynamic = program_image_find_segment(image, PT_DYNAMIC);
    Elf64_Dyn entry = {.d_tag = DT_DEBUG};
    uint64_t libraries = 0, address = 0, names = 0, names_bytes = 0;
    for (uint64_t i = 0; dynamic && entry.d_tag != DT_NULL && i < ENTRIES_MAX; i++) {
        if (!program_image_read_at(image, &entry, sizeof entry, dynamic->p_offset + i * sizeof entry))
            break;
        libraries += entry.d_tag == DT_NEEDED;
        if (entry.d_tag == DT_STRTAB)
            address = entry.d_un.d_ptr;
        if (entry.d_tag == DT_STRSZ)
            names_bytes = entry.d_un.d_val;
    }
    for (size_t i = 0; i < image->segment_count && names == 0; i++) { /* where they are in the file, if they are */
        const Elf64_Phdr *segment = &image->segments[i];
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr && address - segment->p_vaddr < segment->p_filesz)
            names = segment->p_offset + (address - segment->p_vaddr);
    }

    /* Whether one of the names is a sanitizer's. They are read in parts that overlap by more than the longest
     * of them. */
    enum { OVERLAP = 32, PART = 1024 };
    char part[PART];
    for (uint64_t at = 0; names != 0 && at < names_bytes; at += PART - OVERLAP) {
        uint64_t rest = names_bytes - at;
        long length = image->read(image->file, part, rest < PART ? rest : PART, names + at);
        if (length <= 0)
            break;
        for (const char *text = part; text < part + length; text++)
            if ((*text == 'l' || *text == '_') && program_image_name_is_sanitizer(text, part + length))
                return PROGRAM_SANITIZED;
    }
    if (!program_image_find_segment(image, PT_INTERP))
        return PROGRAM_STATIC;
    /* One without libraries has its own idea of what a thread is, as Go's runtime without cgo. */
    return program_image_is_for_glibc(image) && libraries > 0 ? PROGRAM_ORDINARY : PROGRAM_OTHER_LIBC;
}

bool program_image_look(program_reader read, int file, enum program_kind *kind)
{
    struct image image = {.read = read, .file = file};
    const unsigned char *identity = image.header.e_ident;
    if (!program_image_read_at(&image, &image.header, sizeof image.header, 0) || identity[EI_MAG0] != ELFMAG0 ||
        identity[EI_MAG1] != ELFMAG1 || identity[EI_MAG2] != ELFMAG2 || identity[EI_MAG3] != ELFMAG3)
        return false;
    *kind = program_image_kind(&image);
    return true;
}
