/* modules.h - the mapped files that contain code and static data. */
#ifndef ASSAY_EXACT_TOOL_STATE_MODULES_H
#define ASSAY_EXACT_TOOL_STATE_MODULES_H

#include <valgrind/pub_tool_basics.h>

/* Reports the new ones since the last call. */
void modules_report(void);

/* The number of the file that is mapped now and has data there, as reported; 0: none. */
UInt modules_of_data(Addr a);

#endif
