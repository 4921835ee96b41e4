/*
 * number.h - numbers in the values of options.
 */
#ifndef ASSAY_ANALYZE_CLI_NUMBER_H
#define ASSAY_ANALYZE_CLI_NUMBER_H

#include <stdint.h>

/* All of text as a number with least ≤ number ≤ most: 0 and *value, else EINVAL and *value as before. */
int number_parse(const char *text, double least, double most, double *value);

/* The same for a whole number; most ≤ 2^53. 1e6 is valid. */
int number_parse_count(const char *text, uint64_t least, uint64_t most, uint64_t *value);

/* A percentage, with or without a % after it, least ≤ percentage ≤ most, as a share. 0 or EINVAL. */
int number_parse_percent(const char *text, double least, double most, double *share);

/* A share from 0 to 1, "0.1" or "10%". 0 or EINVAL. */
int number_parse_share(const char *text, double *share);

/* A confidence, 0 < confidence < 1, as a share (0.95) or in percent (95 %; without the sign from 50 on: 95). 0 or
 * EINVAL.
 */
int number_parse_confidence(const char *text, double *confidence);

/* A share (0 < share < 1) as percent, with every digit that its shortest decimal has: "95", "99.99999999". */
enum { NUMBER_PERCENT_MAX = 32 };
const char *number_percent(double share, char text[NUMBER_PERCENT_MAX]);

#endif
