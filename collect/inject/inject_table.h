/*
 * inject_table.h - the table of assay-inject: a CSV file with one row per run of the command, replaced atomically after
 * each.
 */
#ifndef ASSAY_INJECT_INJECT_TABLE_H
#define ASSAY_INJECT_INJECT_TABLE_H

#include <stdio.h>

#include "collect/inject/inject.h"

struct inject_table {
    struct inject_row *rows;
    size_t count, capacity;
};

/* Reads the file at `path`; one that doesn't exist is an empty table. STATUS_BAD: it can't be read,
 * or is not a table of assay inject; the message does not name the file. Free in either case. */
int inject_table_read(struct inject_table *table, const char *path, struct error_text *message);

/* Replaces the file atomically. 0 or an errno value. */
int inject_table_save(const struct inject_table *table, const char *path);

/* 0 or an errno value. */
int inject_table_print(const struct inject_table *table, FILE *file);

/* Takes ownership of the row's contents; replaces a row of the same method, work, amount and run. False without memory.
 */
bool inject_table_put(struct inject_table *table, const struct inject_row *row);

struct inject_row *inject_table_find(const struct inject_table *table, const char *method, const char *work,
                                     uint32_t amount, uint64_t run);
void inject_table_free(struct inject_table *table);

#endif
