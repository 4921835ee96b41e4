#ifndef ASSAY_TRACE_CHECKSUM_H
#define ASSAY_TRACE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32C (Castagnoli, RFC 3720 appendix B.4) of data[size]. About 1.5 bytes a cycle. */
uint32_t checksum_crc32c(const void *data, size_t size);

#endif
