/* log.h - Valgrind's messages, in PREFIX-PID.valgrind. */
#ifndef ASSAY_EXACT_TOOL_PROCESS_LOG_H
#define ASSAY_EXACT_TOOL_PROCESS_LOG_H

/* In the child of a fork: a file of its own. */
void log_open_child(void);

#endif
