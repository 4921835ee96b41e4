/*
 * class_path.h - class files by name, in folders and archives (jar, war, jmod).
 *
 * Names are indexed at once, files are read when they are asked for, and stay. The folders classes/,
 * BOOT-INF/classes/ and WEB-INF/classes/ of an archive count as its top; versions of a class for later Java
 * (META-INF/versions) and archives in archives are left out. Of two classes with the same name the first counts, as in
 * a JVM.
 */
#ifndef ASSAY_INSPECT_CLASSFILE_CLASS_PATH_H
#define ASSAY_INSPECT_CLASSFILE_CLASS_PATH_H

#include "base/error_text.h"
#include "base/hash.h"
#include "collect/inspect/classfile/class_file.h"

struct class_path {
    struct class_path_entry *entries; /* [count + 1], by number from 1 */
    uint32_t count;
    size_t capacity;
    struct hash by_name;
    struct zip **archives; /* [archive_count] */
    size_t archive_count, archive_capacity;
};

/* Start with {0}. Adds a folder, an archive or a single class file. */
int class_path_add(struct class_path *path, const char *name, struct error_text *message);
void class_path_free(struct class_path *path);

/* The class with a name ("java/util/Map$Entry"); NULL: it is not there, or not valid. */
const struct class_file *class_path_find(struct class_path *path, const char *name, size_t length);

/* How many classes there are, and the name of each, 1 to count. */
const char *class_path_name(const struct class_path *path, uint32_t number);

#endif
