/*
 * perf_frame.h - frames in the text of `perf script`: "ADDRESS SYMBOL+OFFSET (MODULE)", on a line of its own or among
 * the columns behind an event.
 */
#ifndef ASSAY_TRACE_IMPORT_PERF_PERF_FRAME_H
#define ASSAY_TRACE_IMPORT_PERF_PERF_FRAME_H

#include <stdbool.h>
#include <stdint.h>

struct perf_frame {
    uint64_t address;
    char *symbol; /* without its offset; "" or "[unknown]" if it has none */
    char *module; /* a path, or NULL */
};

char *perf_skip_blanks(char *at);

/* Splits a line in place; false if it is not a frame. */
bool perf_parse_frame(char *line, struct perf_frame *frame);

/* The frame of the ip among the columns behind an event, which it splits in place: [FLAGS] [ADDR] [DATA_SRC] [WEIGHT]
 * IP [registers, branches, instruction, PHYS_ADDR, page sizes]. Each address is padded to 16 characters, and may have a
 * symbol; that of the ip is the last one that has. False if there is none. */
bool perf_parse_ip(char *columns, struct perf_frame *frame);

/* Splits "FILE:LINE", which perf writes below a frame if srcline is among the columns: 1; 0 if it is none; -1 if perf
 * did not know the line. */
int perf_parse_srcline(char *text, char **file, uint64_t *line);

/* Cuts the innermost method off "A->B->C", as perf-map-agent names a method A with B and C compiled into it; NULL if
 * only the outermost is left, or the symbol is none of Java's. */
char *perf_cut_inlined(char *symbol);

#endif
