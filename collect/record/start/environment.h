/*
 * environment.h - what of the environment may change how a command runs, without its values.
 */
#ifndef ASSAY_RECORD_START_ENVIRONMENT_H
#define ASSAY_RECORD_START_ENVIRONMENT_H

#include <jansson.h>

/*
 * {NAME: "1a2b3c4d"}: the CRC-32C of the value of each variable. Variables that describe a session or a terminal, those
 * of assay itself, and those whose name says that they hold a secret are left out. New reference, or NULL without
 * memory.
 */
json_t *environment_checksums(char *const *environment);

#endif
