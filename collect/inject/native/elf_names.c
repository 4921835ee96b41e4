#include "collect/inject/native/elf_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/symbols/demangle.h"
#include "collect/symbols/elf_image.h"

static const char hook[] = "__cyg_profile_func_enter";

/* ---------------------------------------------------------------------------------------------- names -- */

static bool elf_name_is_identifier_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

bool elf_names_read(const char *text, struct elf_name *name)
{
    /* FILE ends at the first colon that is not one of a pair. */
    const char *colon = NULL;
    for (const char *at = text; !colon && (at = strchr(at, ':')) && at < text + strcspn(text, "(<"); at += 2)
        if (at[1] != ':')
            colon = at;
    const char *rest = colon ? colon + 1 : text;
    *name = (struct elf_name){0};
    if (strlen(rest) >= sizeof name->name || (colon && (size_t)(colon - text) >= sizeof name->file))
        return false;
    snprintf(name->file, sizeof name->file, "%.*s", colon ? (int)(colon - text) : 0, text);
    snprintf(name->name, sizeof name->name, "%s", rest);
    const char *end = name->name + strcspn(name->name, "(<"), *start = end;
    while (start > name->name && elf_name_is_identifier_char(start[-1]))
        start--;
    snprintf(name->word, ELF_NAME_MAX, "%.*s", (int)(end - start), start);
    return *name->name;
}

/* -------------------------------------------------------------------------------------------- the file -- */

static const char *elf_names_symbol_text(const struct elf_image_table *table, const Elf64_Sym *symbol)
{
    return symbol->st_name < table->names_size ? table->names + symbol->st_name : "";
}

/* --------------------------------------------------------------------------------------------- matches -- */

/* Calls `each` for the functions that have this name. `base_name`: of the ELF file. */
static void elf_names_search_table(const char *base_name, const struct elf_image_table *table,
                                   const struct elf_name *asked,
                                   void (*each)(void *user, const struct elf_function *found), void *user)
{
    const char *source = "";
    for (size_t i = 0; i < table->count; i++) {
        const Elf64_Sym *symbol = &table->symbols[i];
        const char *raw = elf_names_symbol_text(table, symbol);
        bool is_static = ELF64_ST_BIND(symbol->st_info) == STB_LOCAL;
        if (ELF64_ST_TYPE(symbol->st_info) == STT_FILE)
            source = raw;
        const char *dot = strchr(raw, '.');
        bool is_piece = dot && strncmp(dot, ".lto_priv", strlen(".lto_priv")) != 0;
        if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF || is_piece ||
            !strstr(raw, asked->word))
            continue;
        const char *file = is_static && *source ? source : base_name;
        if (*asked->file && strcmp(asked->file, file) != 0 && strcmp(asked->file, base_name) != 0)
            continue;
        char *name, *signature, *whole = strndup(raw, strcspn(raw, "@")); /* without a version */
        if (whole && demangle(whole, &name, &signature) == 0) {
            struct elf_function found = {.address = symbol->st_value, .bytes = symbol->st_size, .is_static = is_static};
            size_t length = strlen(name);
            snprintf(found.text, sizeof found.text, "%s:%s%s", file, name, signature);
            if (strcmp(whole, asked->name) == 0 || strcmp(name, asked->name) == 0 ||
                (strncmp(asked->name, name, length) == 0 && strcmp(asked->name + length, signature) == 0))
                each(user, &found);
            free(name);
            free(signature);
        }
        free(whole);
    }
}

bool elf_names_find(const char *path, const struct elf_name *name,
                    void (*each)(void *user, const struct elf_function *found), void *user)
{
    struct elf_image image;
    struct elf_image_table dynamic, all;
    const char *slash = strrchr(path, '/'), *base_name = slash ? slash + 1 : path;
    if (!elf_image_map(path, &image))
        return false;
    bool hooked = false;
    if (elf_image_table(&image, SHT_DYNSYM, &dynamic))
        for (size_t i = 0; i < dynamic.count && !hooked; i++)
            hooked = dynamic.symbols[i].st_shndx == SHN_UNDEF &&
                     strcmp(elf_names_symbol_text(&dynamic, &dynamic.symbols[i]), hook) == 0;
    if (hooked)
        elf_names_search_table(base_name, elf_image_table(&image, SHT_SYMTAB, &all) ? &all : &dynamic, name, each,
                               user);
    elf_image_unmap(&image);
    return hooked;
}
