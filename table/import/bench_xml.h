/*
 * bench_xml.h - tags and attributes of XML, as benchmark tools write it. Only for bench_*.c.
 *
 * This is not a parser: comments, CDATA and namespaces are not distinguished from elements, and none of these tools
 * writes elements in them.
 */
#ifndef ASSAY_TABLE_IMPORT_BENCH_XML_H
#define ASSAY_TABLE_IMPORT_BENCH_XML_H

#include <stdbool.h>
#include <stddef.h>

/* The next occurrence of `needle`; NULL if there is none. O(end − from). */
const char *bench_xml_find(const char *from, const char *end, const char *needle);

/* How often it occurs. */
size_t bench_xml_count(const char *from, const char *end, const char *needle);

/* Whether a tag of this name ("<run ", "</run>") begins here. */
bool bench_xml_is(const char *tag, const char *end, const char *name);

/* The value of an attribute of the tag that begins here, with the five entities of XML replaced, cut to size − 1 bytes.
 * False, and "", if the tag has none of that name, or breaks off. */
bool bench_xml_attribute(const char *tag, const char *end, const char *name, char *value, size_t size);

#endif
