#include "trace/names/method_name.h"

#include <string.h>

struct text {
    char *data;
    size_t length;
};

static void method_name_append(struct text *text, const char *from, size_t length)
{
    size_t capacity = METHOD_NAME_MAX - 1 - text->length;
    if (length > capacity)
        length = capacity;
    memcpy(text->data + text->length, from, length);
    text->length += length;
}

/* One parameter type of the signature at `at`; returns the position after it, or NULL if it is not a type. */
static const char *method_name_append_type(struct text *text, const char *at)
{
    size_t dimensions = strspn(at, "[");
    at += dimensions;
    char letter = *at;
    static const char letters[] = "BCDFIJSZV";
    static const char *const names[] = {"byte", "char", "double", "float", "int", "long", "short", "boolean", "void"};
    const char *type_letter = letter ? strchr(letters, letter) : NULL;
    const char *name = type_letter ? names[type_letter - letters] : NULL;
    if (name) {
        method_name_append(text, name, strlen(name));
        at++;
    } else if (*at == 'L' && strchr(at, ';')) {
        const char *end = strchr(at, ';'), *start = at + 1;
        for (const char *c = start; c < end; c++)
            start = *c == '/' ? c + 1 : start;
        method_name_append(text, start, (size_t)(end - start));
        at = end + 1;
    } else {
        return NULL;
    }
    while (dimensions-- > 0)
        method_name_append(text, "[]", 2);
    return at;
}

void method_name(const struct trace_method *method, char data[METHOD_NAME_MAX])
{
    struct text text = {data, 0};
    if (*method->class_name) {
        method_name_append(&text, method->class_name, strlen(method->class_name));
        method_name_append(&text, ".", 1);
    }
    method_name_append(&text, method->name, strlen(method->name));
    const char *at = method->signature;
    if (!*method->class_name) { /* native: parameters as written */
        method_name_append(&text, at, strlen(at));
    } else if (*at == '(') {
        method_name_append(&text, "(", 1);
        for (at++; at && *at && *at != ')';) {
            if (data[text.length - 1] != '(')
                method_name_append(&text, ",", 1);
            at = method_name_append_type(&text, at);
        }
        method_name_append(&text, ")", 1);
    }
    data[text.length] = '\0';
}
