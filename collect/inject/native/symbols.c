#include "collect/inject/native/symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/resolve/demangle.h"

static const char hook[] = "__cyg_profile_func_enter";

/* ---------------------------------------------------------------------------------------------- names -- */

/* Where FILE: ends: at the first colon that is none of a pair. */
static const char *end_of_file(const char *text)
{
    size_t most = strcspn(text, "(<");
    for (const char *colon = text; (colon = strchr(colon, ':')) && colon < text + most; colon += 2)
        if (colon[1] != ':')
            return colon;
    return NULL;
}

static bool is_of_identifier(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

static void read_last_word(const char *name, char *word)
{
    const char *end = name + strcspn(name, "(<"), *start = end;
    while (start > name && is_of_identifier(start[-1]))
        start--;
    snprintf(word, SYMBOLS_NAME_MAX, "%.*s", (int)(end - start), start);
}

bool symbols_read_name(const char *text, struct symbols_name *name)
{
    const char *colon = end_of_file(text), *rest = colon ? colon + 1 : text;
    *name = (struct symbols_name){0};
    if (strlen(rest) >= sizeof name->name || (colon && (size_t)(colon - text) >= sizeof name->file))
        return false;
    snprintf(name->file, sizeof name->file, "%.*s", colon ? (int)(colon - text) : 0, text);
    snprintf(name->name, sizeof name->name, "%s", rest);
    read_last_word(name->name, name->word);
    return *name->name;
}

/* -------------------------------------------------------------------------------------------- the file -- */

struct image {
    const uint8_t *bytes;
    size_t size;
    const char *base_name;
};

struct symbol_table {
    const Elf64_Sym *symbols;
    size_t count;
    const char *names;
    size_t names_size;
};

static const void *part_of(const struct image *image, uint64_t offset, uint64_t size, size_t alignment)
{
    if (offset > image->size || size > image->size - offset || offset % alignment != 0)
        return NULL;
    return image->bytes + offset;
}

static bool map(const char *path, struct image *image)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool good = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
    void *bytes = good ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (fd >= 0)
        close(fd);
    if (bytes == MAP_FAILED)
        return false;
    const char *slash = strrchr(path, '/');
    *image = (struct image){bytes, (size_t)status.st_size, slash ? slash + 1 : path};
    return true;
}

static const Elf64_Shdr *sections_of(const struct image *image, size_t *count)
{
    const Elf64_Ehdr *header = part_of(image, 0, sizeof *header, 1);
    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_shentsize != sizeof(Elf64_Shdr))
        return NULL;
    *count = header->e_shnum;
    return part_of(image, header->e_shoff, *count * sizeof(Elf64_Shdr), _Alignof(Elf64_Shdr));
}

/* The table of a type; false if there is none that holds together. */
static bool find_table(const struct image *image, uint32_t type, struct symbol_table *table)
{
    size_t count = 0;
    const Elf64_Shdr *sections = sections_of(image, &count);
    for (size_t i = 0; sections && i < count; i++) {
        const Elf64_Shdr *section = &sections[i];
        if (section->sh_type != type || section->sh_link >= count)
            continue;
        const Elf64_Shdr *names = &sections[section->sh_link];
        *table = (struct symbol_table){part_of(image, section->sh_offset, section->sh_size, _Alignof(Elf64_Sym)),
                                       section->sh_size / sizeof(Elf64_Sym),
                                       part_of(image, names->sh_offset, names->sh_size, 1), names->sh_size};
        return table->symbols && table->names && names->sh_size > 0 && !table->names[names->sh_size - 1];
    }
    return false;
}

static const char *text_of(const struct symbol_table *table, const Elf64_Sym *symbol)
{
    return symbol->st_name < table->names_size ? table->names + symbol->st_name : "";
}

static bool calls_hooks(const struct symbol_table *dynamic)
{
    for (size_t i = 0; i < dynamic->count; i++)
        if (dynamic->symbols[i].st_shndx == SHN_UNDEF && strcmp(text_of(dynamic, &dynamic->symbols[i]), hook) == 0)
            return true;
    return false;
}

/* --------------------------------------------------------------------------------------------- matches -- */

static bool is_piece(const char *text)
{
    const char *dot = strchr(text, '.');
    return dot && strncmp(dot, ".lto_priv", strlen(".lto_priv")) != 0;
}

static bool is_asked_for(const struct symbols_name *asked, const char *raw, const char *name, const char *signature)
{
    size_t length = strlen(name);
    return strcmp(raw, asked->name) == 0 || strcmp(name, asked->name) == 0 ||
           (strncmp(asked->name, name, length) == 0 && strcmp(asked->name + length, signature) == 0);
}

/* `source`: the file that a static function is of. */
static bool read_match(const struct image *image, const struct symbols_name *asked, const char *raw, const char *source,
                       struct symbols_found *found)
{
    char *name, *signature, *whole;
    const char *file = found->is_static && *source ? source : image->base_name;
    if (*asked->file && strcmp(asked->file, file) != 0 && strcmp(asked->file, image->base_name) != 0)
        return false;
    whole = strndup(raw, strcspn(raw, "@")); /* without a version */
    if (!whole || demangle(whole, &name, &signature) != 0) {
        free(whole);
        return false;
    }
    bool matches = is_asked_for(asked, whole, name, signature);
    snprintf(found->text, sizeof found->text, "%s:%s%s", file, name, signature);
    free(whole);
    free(name);
    free(signature);
    return matches;
}

static void search(const struct image *image, const struct symbol_table *table, const struct symbols_name *asked,
                   void (*each)(void *user, const struct symbols_found *found), void *user)
{
    const char *source = "";
    for (size_t i = 0; i < table->count; i++) {
        const Elf64_Sym *symbol = &table->symbols[i];
        const char *raw = text_of(table, symbol);
        bool is_static = ELF64_ST_BIND(symbol->st_info) == STB_LOCAL;
        if (ELF64_ST_TYPE(symbol->st_info) == STT_FILE)
            source = raw;
        if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF || is_piece(raw) ||
            !strstr(raw, asked->word))
            continue;
        struct symbols_found found = {.address = symbol->st_value, .bytes = symbol->st_size, .is_static = is_static};
        if (read_match(image, asked, raw, source, &found))
            each(user, &found);
    }
}

bool symbols_find(const char *path, const struct symbols_name *name,
                  void (*each)(void *user, const struct symbols_found *found), void *user)
{
    struct image image;
    struct symbol_table dynamic, all;
    if (!map(path, &image))
        return false;
    bool hooked = find_table(&image, SHT_DYNSYM, &dynamic) && calls_hooks(&dynamic);
    if (hooked)
        search(&image, find_table(&image, SHT_SYMTAB, &all) ? &all : &dynamic, name, each, user);
    munmap((void *)(uintptr_t)image.bytes, image.size);
    return hooked;
}
