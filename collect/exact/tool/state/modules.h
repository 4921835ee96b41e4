/* modules.h - the mapped files that code and static data are in. */
#ifndef ASSAY_EXACT_TOOL_STATE_MODULES_H
#define ASSAY_EXACT_TOOL_STATE_MODULES_H

/* Reports those that are new since the last call. */
void modules_report(void);

#endif
