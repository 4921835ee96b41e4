/*
 * bench_xml.h - tags and attributes of XML, as benchmark tools write it. For bench_*.c alone.
 *
 * No parser: comments, CDATA and namespaces are not told apart from elements, and none of these tools writes elements
 * in them.
 */
#ifndef ASSAY_BENCH_BENCH_XML_H
#define ASSAY_BENCH_BENCH_XML_H

#include <stdbool.h>
#include <stddef.h>

/* Where `needle` next occurs from here on; NULL if it does not. O(end − from). */
const char *bench_xml_find(const char *from, const char *end, const char *needle);

/* How often it occurs. */
size_t bench_xml_count(const char *from, const char *end, const char *needle);

/* Does a tag of this name ("<run ", "</run>") stand here? */
bool bench_xml_is(const char *tag, const char *end, const char *name);

/* The '>' that closes the tag that begins here, and is in no attribute; NULL if the text breaks off before. */
const char *bench_xml_close(const char *tag, const char *end);

/* The value of an attribute of the tag that begins here, with the five entities of XML replaced, cut to size − 1 bytes.
 * False, and "", if the tag has none of that name, or breaks off. */
bool bench_xml_attribute(const char *tag, const char *end, const char *name, char *value, size_t size);

#endif
