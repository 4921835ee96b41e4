/*
 * digest.h - SHA-256 of texts and files (FIPS 180-4), by Nettle.
 */
#ifndef ASSAY_EXPERIMENT_DIGEST_H
#define ASSAY_EXPERIMENT_DIGEST_H

#include <nettle/sha2.h>

enum { DIGEST_TEXT = 2 * SHA256_DIGEST_SIZE + 1 };

/* Adds the text and its terminating NUL, so that texts keep apart. */
void digest_add(struct sha256_ctx *digest, const char *text);

/* Ends the digest, in hexadecimal. */
void digest_finish(struct sha256_ctx *digest, char text[DIGEST_TEXT]);

/* The digest of a file's content. 0 or an errno value. */
int digest_file(const char *path, char text[DIGEST_TEXT]);

#endif
