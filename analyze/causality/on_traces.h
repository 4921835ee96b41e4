/*
 * on_traces.h - assay causality on traces that were recorded under assay inject.
 */
#ifndef ASSAY_CAUSALITY_ON_TRACES_H
#define ASSAY_CAUSALITY_ON_TRACES_H

/* The main of the program then. Returns the exit status. */
int on_traces(int argc, char **argv);

#endif
