/*
 * notes.h - what the recorder prints about a process of the program, which must not print anything itself.
 */
#ifndef ASSAY_EXACT_TOOL_PROCESS_NOTES_H
#define ASSAY_EXACT_TOOL_PROCESS_NOTES_H

#include <valgrind/pub_tool_basics.h>

/* Adds a line to the notes of the run (run_notes.h): a sentence about this process. False if that can't be done. */
Bool notes_add(const HChar *text);

/* The last part of a path. Points into it. */
const HChar *notes_file_name(const HChar *path);

#endif
