/*
 * waste_page.h - a page for a browser that shows waste: by function, line, source, pair, object and loop.
 *
 * The page is one file without references to others. It holds the state's pairs, contexts and rankings as JSON, the
 * source files that frames name, and a script that shows them. Without a script it shows the overview and the first
 * functions and lines. Its numbers are those of the tables of assay waste, over all inputs together.
 */
#ifndef ASSAY_WASTE_PAGE_WASTE_PAGE_H
#define ASSAY_WASTE_PAGE_WASTE_PAGE_H

#include "analyze/waste/tables/waste_tables.h"

struct waste_page_request {
    const char *path; /* of the page; NULL: none is wanted */
    char **folders;   /* [folder_count]: where source files are searched for */
    size_t folder_count;
    size_t input_notes; /* how many of the report's first notes are about the inputs, not about its table */
};

/* Adds folders, separated by colons; empty ones are ignored. 0 or ENOMEM; request->folders stay until the end. */
int waste_page_add_folders(struct waste_page_request *request, const char *folders);

/*
 * Writes the page, if one is wanted, with the warnings that the report has by now. The file is replaced as a whole; a
 * device is written to. If it can't be written, that is a warning of the report, which then has no result. `asked`: the
 * kind and the bias count. New texts may be added to the state. 0 or ENOMEM. O(pairs × log pairs + source files).
 */
int waste_page_write(const struct waste_page_request *request, const struct waste_request *asked, struct waste *waste,
                     struct report *report);

#endif
