/* modules.h - the mapped files that contain code and static data. */
#ifndef ASSAY_EXACT_TOOL_STATE_MODULES_H
#define ASSAY_EXACT_TOOL_STATE_MODULES_H

/* Reports the new ones since the last call. */
void modules_report(void);

#endif
