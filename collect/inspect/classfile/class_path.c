#include "collect/inspect/classfile/class_path.h"

#include <assert.h>
#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zip.h>

#include "base/grow.h"

struct class_path_entry {
    char *name;
    char *file; /* NULL: it is in an archive */
    struct zip *archive;
    zip_uint64_t index;
    bool read; /* … or not valid, if `class` has no bytes */
    struct class_file class;
};

static const char SUFFIX[] = ".class";
enum { SUFFIX_BYTES = sizeof SUFFIX - 1 };

/* ------------------------------------------------------------------------------------------ names -- */

struct wanted {
    const struct class_path *path;
    const char *name;
    size_t length;
};

static bool class_path_name_matches(const void *user, uint32_t number)
{
    const struct wanted *wanted = user;
    const char *name = wanted->path->entries[number].name;
    return strncmp(name, wanted->name, wanted->length) == 0 && !name[wanted->length];
}

static uint64_t class_path_hash_name(const char *name, size_t length)
{
    uint64_t key = 0;
    for (size_t i = 0; i < length; i++)
        key = hash_mix(key, (uint8_t)name[i]);
    return key;
}

static bool class_path_is_class_name(const char *name)
{
    size_t length = strlen(name);
    return length > SUFFIX_BYTES && strcmp(name + length - SUFFIX_BYTES, SUFFIX) == 0 && !strstr(name, "module-info") &&
           !strstr(name, "package-info");
}

/* Adds a class by the name of its file; takes what the entry owns, also if a class with this name is there. */
static bool class_path_add_entry(struct class_path *path, const char *file_name, struct class_path_entry entry)
{
    size_t length = strlen(file_name) - SUFFIX_BYTES;
    const struct wanted wanted = {path, file_name, length};
    uint64_t key = class_path_hash_name(file_name, length);
    struct class_path_entry *grown = grow(path->entries, &path->capacity, path->count + UINT32_C(1), sizeof *grown);
    if (grown)
        path->entries = grown;
    if (!grown || hash_find(&path->by_name, key, class_path_name_matches, &wanted)) {
        free(entry.file);
        return grown;
    }
    entry.name = strndup(file_name, length);
    grown[++path->count] = entry;
    return entry.name && hash_add(&path->by_name, key, path->count) == 0;
}

/* ------------------------------------------------------------------------------------------ archives -- */

/* Some archives have their classes in a folder. */
static int class_path_add_archive(struct class_path *path, const char *name, struct error_text *message)
{
    static const char *const TOPS[] = {"classes/", "BOOT-INF/classes/", "WEB-INF/classes/"};
    int code = 0;
    struct zip *archive = zip_open(name, ZIP_RDONLY, &code);
    if (!archive) {
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        error_set(message, STATUS_BAD, "%s: %s (a folder of classes or a jar is needed)", name,
                  zip_error_strerror(&error));
        zip_error_fini(&error);
        return STATUS_BAD;
    }
    struct zip **grown = grow_unset(path->archives, &path->archive_capacity, path->archive_count, sizeof *grown);
    if (!grown) {
        zip_discard(archive);
        return error_set(message, STATUS_BAD, "%s: %s", name, strerror(ENOMEM));
    }
    path->archives = grown;
    grown[path->archive_count++] = archive;
    zip_int64_t count = zip_get_num_entries(archive, 0);
    for (zip_int64_t i = 0; i < count; i++) {
        const char *inner = zip_get_name(archive, (zip_uint64_t)i, ZIP_FL_ENC_RAW);
        if (!inner || !class_path_is_class_name(inner) || strncmp(inner, "META-INF/", 9) == 0)
            continue;
        size_t top = 0;
        while (top < sizeof TOPS / sizeof *TOPS && strncmp(inner, TOPS[top], strlen(TOPS[top])) != 0)
            top++;
        inner += top < sizeof TOPS / sizeof *TOPS ? strlen(TOPS[top]) : 0;
        if (!class_path_add_entry(path, inner, (struct class_path_entry){.archive = archive, .index = (zip_uint64_t)i}))
            return error_set(message, STATUS_BAD, "%s: %s", name, strerror(ENOMEM));
    }
    return STATUS_GOOD;
}

/* ------------------------------------------------------------------------------------------ reading -- */

enum { CLASS_BYTES_MAX = 64 << 20 };

static uint8_t *class_path_read_file(const char *name, size_t *size)
{
    struct stat about;
    FILE *file = fopen(name, "re");
    uint8_t *bytes = NULL;
    if (file && fstat(fileno(file), &about) == 0 && about.st_size <= CLASS_BYTES_MAX) {
        bytes = malloc((size_t)about.st_size + 1);
        *size = bytes ? fread(bytes, 1, (size_t)about.st_size, file) : 0;
    }
    if (file)
        fclose(file);
    return bytes;
}

const struct class_file *class_path_find(struct class_path *path, const char *name, size_t length)
{
    const struct wanted wanted = {path, name, length};
    uint32_t number = hash_find(&path->by_name, class_path_hash_name(name, length), class_path_name_matches, &wanted);
    if (!number)
        return NULL;
    struct class_path_entry *entry = &path->entries[number];
    if (!entry->read) {
        size_t size = 0;
        zip_stat_t about;
        zip_file_t *file = entry->file ? NULL : zip_fopen_index(entry->archive, entry->index, 0);
        uint8_t *bytes = entry->file ? class_path_read_file(entry->file, &size) : NULL;
        if (file && zip_stat_index(entry->archive, entry->index, 0, &about) == 0 && about.valid & ZIP_STAT_SIZE &&
            about.size <= CLASS_BYTES_MAX) {
            bytes = malloc(about.size + 1);
            zip_int64_t got = bytes ? zip_fread(file, bytes, about.size) : 0;
            size = got > 0 ? (size_t)got : 0;
        }
        if (file)
            zip_fclose(file);
        entry->read = true;
        if (bytes)
            class_file_parse(&entry->class, bytes, size);
    }
    return entry->class.bytes ? &entry->class : NULL;
}

const char *class_path_name(const struct class_path *path, uint32_t number)
{
    assert(number > 0 && number <= path->count);
    return path->entries[number].name;
}

/* ------------------------------------------------------------------------------------------ all of it -- */

/* A single class file has its name in it. */
static int class_path_add_class_file(struct class_path *path, const char *name, struct error_text *message)
{
    size_t size = 0;
    struct class_file class;
    uint8_t *bytes = class_path_read_file(name, &size);
    if (!bytes || !class_file_parse(&class, bytes, size))
        return error_set(message, STATUS_BAD, "%s: is not a whole class file; compile it again", name);
    char *file_name = malloc(class.name.length + sizeof SUFFIX), *copy = strdup(name);
    bool good = file_name && copy;
    if (good) {
        memcpy(file_name, class.name.text, class.name.length);
        memcpy(file_name + class.name.length, SUFFIX, sizeof SUFFIX);
        good = class_path_add_entry(path, file_name, (struct class_path_entry){.file = copy});
    } else {
        free(copy);
    }
    free(file_name);
    class_file_free(&class);
    return good ? STATUS_GOOD : error_set(message, STATUS_BAD, "%s: %s", name, strerror(ENOMEM));
}

int class_path_add(struct class_path *path, const char *name, struct error_text *message)
{
    struct stat about;
    if (stat(name, &about) != 0)
        return error_set(message, STATUS_BAD, "%s: %s", name, strerror(errno));
    if (!S_ISDIR(about.st_mode))
        return class_path_is_class_name(name) ? class_path_add_class_file(path, name, message)
                                              : class_path_add_archive(path, name, message);
    char *const roots[] = {(char *)(uintptr_t)name, NULL};
    FTS *files = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    bool good = files;
    size_t root = strlen(name);
    for (FTSENT *at; good && (at = fts_read(files));) {
        const char *inner = at->fts_path + (at->fts_pathlen > root ? root : at->fts_pathlen);
        inner += strspn(inner, "/");
        if (at->fts_info == FTS_F && class_path_is_class_name(inner))
            good = class_path_add_entry(path, inner, (struct class_path_entry){.file = strdup(at->fts_path)});
    }
    if (files)
        fts_close(files);
    return good ? STATUS_GOOD : error_set(message, STATUS_BAD, "%s: %s", name, strerror(errno ? errno : ENOMEM));
}

void class_path_free(struct class_path *path)
{
    for (uint32_t i = 1; i <= path->count; i++) {
        class_file_free(&path->entries[i].class);
        free(path->entries[i].name);
        free(path->entries[i].file);
    }
    free(path->entries);
    hash_free(&path->by_name);
    for (size_t i = 0; i < path->archive_count; i++)
        zip_discard(path->archives[i]);
    free(path->archives);
    *path = (struct class_path){.count = 0};
}
