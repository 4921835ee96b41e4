/* config.h - the tool's options, and their form in the raw file. */
#ifndef ASSAY_EXACT_TOOL_STATE_CONFIG_H
#define ASSAY_EXACT_TOOL_STATE_CONFIG_H

#include <valgrind/pub_tool_basics.h>

struct config {
    Bool dead_stores, silent_stores, silent_loads, spatial;
    Bool memory, values;       /* mode memory: every access, and with its value */
    Bool fetches;              /* mode memory: and which instructions are executed */
    Long reader;               /* process that reads the ring of mode memory */
    Bool methods;              /* mode methods: counters for probes inside the program … */
    Bool calls, arguments;     /* mode calls: every call of named functions, and with its arguments … */
    const HChar *counters;     /* … and what these counted: "instructions,l1-misses"; NULL: nothing */
    const HChar *caches;       /* … with misses of these ("BYTES/WAYS/LINE,…" of L1I, L1D, L2); NULL: without */
    Bool branches;             /* … and with mispredicted branches */
    double tolerance;          /* tolerance of floating-point values: share of the old value */
    ULong burst_on, burst_off; /* instructions; 0: always on */
    Bool burst_auto;           /* these are only the first lengths */
    Long times;                /* how many are used before times.h numbers them anew */
    const HChar *out;          /* prefix of the raw file, and of the notes */
    Bool unmeasured;           /* the user does not want this program recorded, only those that it starts */
};

const struct config *config_get(void);

/* This process is not measured. */
void config_set_unmeasured(void);

/* Handles one command-line option: True if it is the tool's own. Refuses a bad value by VG_(fmsg_bad_option)(). */
Bool config_option(const HChar *argument);
void config_usage(void);

/* False, with a message, if a required option is missing. */
Bool config_finalize(void);

/* A JSON object for RAW_HELLO. Static storage. */
const HChar *config_json(void);

#endif
