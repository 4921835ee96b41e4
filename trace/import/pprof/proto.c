#include "trace/import/pprof/proto.h"

bool proto_read_varint(struct proto *proto, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; proto->at < proto->end && shift < 64; shift += 7) {
        unsigned char byte = *proto->at++;
        if (shift == 63 && byte > 1)
            return false;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static bool proto_read_fixed(struct proto *proto, size_t size, uint64_t *value)
{
    if ((size_t)(proto->end - proto->at) < size)
        return false;
    *value = 0;
    for (size_t i = size; i-- > 0;)
        *value = *value << 8 | proto->at[i];
    proto->at += size;
    return true;
}

static bool proto_read_head(struct proto *proto, struct proto_field *field)
{
    uint64_t tag;
    *field = (struct proto_field){0};
    if (!proto_read_varint(proto, &tag) || tag >> 3 == 0 || tag >> 3 > 0x1fffffff)
        return false;
    field->number = (unsigned)(tag >> 3);
    field->wire = (unsigned)(tag & 7);
    switch (field->wire) {
    case PROTO_VARINT:
    case PROTO_BYTES:
        return proto_read_varint(proto, &field->value);
    case PROTO_64:
        return proto_read_fixed(proto, 8, &field->value);
    case PROTO_32:
        return proto_read_fixed(proto, 4, &field->value);
    default:
        return false;
    }
}

int proto_next_field(struct proto *proto, struct proto_field *field)
{
    if (proto->at == proto->end)
        return 0;
    if (!proto_read_head(proto, field))
        return -1;
    if (field->wire != PROTO_BYTES)
        return 1;
    if (field->value > (size_t)(proto->end - proto->at))
        return -1;
    field->body = (struct proto){proto->at, proto->at + field->value};
    proto->at += field->value;
    return 1;
}

int proto_next_number(struct proto_field *field, uint64_t *value)
{
    if (field->wire == PROTO_BYTES) {
        if (field->body.at == field->body.end)
            return 0;
        return proto_read_varint(&field->body, value) ? 1 : -1;
    }
    if (field->wire != PROTO_VARINT)
        return 0;
    *value = field->value;
    field->wire = PROTO_BYTES; /* once; its body is empty */
    return 1;
}

int proto_read_stream_head(struct source *source, struct proto_field *field)
{
    size_t got;
    const unsigned char *bytes = source_peek(source, 20, &got);
    if (!bytes)
        return 0;
    struct proto proto = {bytes, bytes + got};
    if (!proto_read_head(&proto, field))
        return -1;
    return source_skip(source, (uint64_t)(proto.at - bytes)) ? 1 : -1;
}

bool proto_read_stream_body(struct source *source, struct proto_field *field)
{
    size_t got, length = (size_t)field->value;
    if (field->value > SOURCE_PEEK_MAX - 32)
        return false;
    const unsigned char *bytes = source_peek(source, length, &got);
    if (got < length)
        return false;
    field->body = (struct proto){bytes, bytes + length};
    return source_skip(source, length);
}

int proto_read_stream_field(struct source *source, uint64_t wanted, struct proto_field *field)
{
    int more = proto_read_stream_head(source, field);
    if (more <= 0 || field->wire != PROTO_BYTES)
        return more;
    if (field->number >= 64 || !(wanted >> field->number & 1))
        return source_skip(source, field->value) ? 1 : -1;
    return proto_read_stream_body(source, field) ? 1 : -1;
}
