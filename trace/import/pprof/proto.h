/*
 * proto.h - the wire format of Protocol Buffers: fields of a message in memory, and of a streamed one.
 * Source: protobuf.dev, "Encoding". Groups are not read: no format here has them.
 */
#ifndef ASSAY_TRACE_IMPORT_PPROF_PROTO_H
#define ASSAY_TRACE_IMPORT_PPROF_PROTO_H

#include "trace/import/source.h"

enum { PROTO_VARINT = 0, PROTO_64 = 1, PROTO_BYTES = 2, PROTO_32 = 5 };

struct proto {
    const unsigned char *at, *end;
};

struct proto_field {
    unsigned number, wire;
    uint64_t value;    /* of a number; of bytes: their length */
    struct proto body; /* of bytes */
};

/* The varint at the cursor; false if there is none, or one beyond 64 bits. */
bool proto_read_varint(struct proto *proto, uint64_t *value);

/* The next field: 1; 0 at the end; -1 if it is damaged. */
int proto_next_field(struct proto *proto, struct proto_field *field);

/* The next value of a repeated number, packed or not: call it until it returns 0. -1 if it is damaged. Start with the
 * field; `body` advances. */
int proto_next_number(struct proto_field *field, uint64_t *value);

/* The header of the next field of the message in the source: 1; 0 at the end of the source; -1 if it is damaged. For a
 * field of bytes, the body of field->value bytes follows: read it, skip it, or treat it as a message. */
int proto_read_stream_head(struct source *source, struct proto_field *field);

/* That body, in the source's window until the next call. False if the file ends before, or it is too large. */
bool proto_read_stream_body(struct source *source, struct proto_field *field);

/* Both: the next field with its body. Fields whose bit is not set in `wanted` come with an empty body. */
int proto_read_stream_field(struct source *source, uint64_t wanted, struct proto_field *field);

#endif
