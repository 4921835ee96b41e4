/*
 * text.h - names and paths are bytes; JSON and terminals are not.
 */
#ifndef ASSAY_TEXT_H
#define ASSAY_TEXT_H

#include <stddef.h>

#include <jansson.h>

/* A JSON string: UTF-8 as it is; else every byte from 0x80 on as the character of Latin-1 with that number, so that
 * nothing gets lost. NULL without memory. */
json_t *text_json(const char *text, size_t length);

#endif
