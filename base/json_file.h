/*
 * json_file.h - writing a JSON value to a descriptor.
 *
 * json_dumpfd() makes a system call for each bracket, takes an interrupted one for a failure, and with some versions of
 * Jansson ignores that some of them fail.
 */
#ifndef ASSAY_BASE_JSON_FILE_H
#define ASSAY_BASE_JSON_FILE_H

#include <stddef.h>

#include <jansson.h>

/* Writes a value, with the flags of json_dumps(), and a newline. 0 or an errno value: ENOMEM, also if memory has lacked
 * for any JSON so far (json_memory.h), or what write() met. */
int json_file_write(int fd, const json_t *value, size_t flags);

#endif
