#include "trace/names/normal_name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* A part of a text. */
struct part {
    const char *at;
    size_t length;
};

static void normal_name_copy_part(struct part part, char *out, size_t size)
{
    size_t length = part.length < size ? part.length : size - 1;
    memmove(out, part.at, length);
    out[length] = '\0';
}

static bool normal_name_is_identifier(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* ------------------------------------------------------------------------------------------ classes -- */

static void normal_name_normalize_class(char *name)
{
    /* Cuts "/0x7f12", "+0x7f12", ".0x7f12" and "/1234" off the end: the address or number of a hidden class. */
    size_t length = strlen(name), digits = length;
    while (digits > 0 && isxdigit((unsigned char)name[digits - 1]))
        digits--;
    bool hexadecimal = digits >= 2 && name[digits - 1] == 'x' && name[digits - 2] == '0';
    size_t at = hexadecimal ? digits - 2 : digits;
    if (at >= 2 && digits < length) {
        bool decimal = strspn(name + at, "0123456789") == length - at;
        if ((hexadecimal && strchr("/+.", name[at - 1])) || (decimal && name[at - 1] == '/'))
            name[at - 1] = '\0';
    }
    /* Generated classes whose names end in a number. */
    static const char *const generated[] = {"GeneratedMethodAccessor",
                                            "GeneratedConstructorAccessor",
                                            "GeneratedSerializationConstructorAccessor",
                                            "$Proxy",
                                            "$$Lambda",
                                            "CGLIB",
                                            "$MockitoMock",
                                            "$ByteBuddy"};
    for (size_t i = 0; i < sizeof generated / sizeof *generated; i++) {
        char *number_at = strstr(name, generated[i]);
        if (!number_at)
            continue;
        number_at += strlen(generated[i]);
        size_t dollars = strspn(number_at, "$"), digit_count = strspn(number_at + dollars, "0123456789abcdef");
        if (number_at[dollars + digit_count] == '\0')
            *number_at = '\0';
    }
    for (char *c = name; *c; c++)
        *c = *c == '/' ? '.' : *c;
}

/* ------------------------------------------------------------------------------------------ parameters -- */

static const char *const primitives[] = {"Bbyte", "Cchar", "Ddouble", "Ffloat", "Iint", "Jlong", "Sshort", "Zboolean"};

/* Whether all between the parentheses are types of a signature. */
static bool normal_name_is_signature(struct part parameters)
{
    const char *at = parameters.at, *end = at + parameters.length;
    while (at < end) {
        while (at < end && *at == '[')
            at++;
        const char *semicolon = at < end && *at == 'L' ? memchr(at, ';', (size_t)(end - at)) : NULL;
        if (at == end || (*at == 'L' ? !semicolon : !strchr("BCDFIJSZ", *at)))
            return false;
        at = semicolon ? semicolon + 1 : at + 1;
    }
    return true;
}

/* A type as Java's sources have it, "java.util.List<String>[]", as one of a signature. */
static void normal_name_write_type(FILE *out, struct part type)
{
    size_t name = 0;
    while (name < type.length &&
           (normal_name_is_identifier(type.at[name]) || type.at[name] == '.' || type.at[name] == '/'))
        name++;
    bool variadic = name >= 3 && strncmp(type.at + name - 3, "...", 3) == 0;
    name -= variadic ? 3 : 0;
    if (variadic)
        putc('[', out);
    for (size_t i = name; i < type.length; i++)
        if (type.at[i] == '[')
            putc('[', out);
    for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++)
        if (strlen(primitives[i] + 1) == name && strncmp(primitives[i] + 1, type.at, name) == 0) {
            putc(*primitives[i], out);
            return;
        }
    putc('L', out);
    for (size_t i = 0; i < name; i++)
        putc(type.at[i] == '.' ? '/' : type.at[i], out);
    putc(';', out);
}

/* What begins with a parenthesis, as the signature of a method; false if it is none of Java's. */
static bool normal_name_normalize_signature(const char *text, char *out, size_t size)
{
    const char *end = strrchr(text, ')');
    *out = '\0';
    if (*text == '\0')
        return true;
    if (*text != '(' || !end)
        return false;
    struct part parameters = {text + 1, (size_t)(end - text) - 1};
    for (size_t i = 0; i < parameters.length; i++)
        if (!normal_name_is_identifier(parameters.at[i]) && !strchr("./;[]<>, ?&", parameters.at[i]))
            return false;
    FILE *file = fmemopen(out, size, "w");
    if (!file)
        return false;
    putc('(', file);
    if (normal_name_is_signature(parameters))
        fwrite(parameters.at, 1, parameters.length, file);
    else {
        /* The types between commas that are not within angle brackets. */
        size_t from = 0, depth = 0;
        for (size_t i = 0; i <= parameters.length; i++) {
            char c = i < parameters.length ? parameters.at[i] : ',';
            depth += c == '<';
            depth -= c == '>' && depth > 0;
            if (c != ',' || (depth > 0 && i < parameters.length))
                continue;
            while (from < i && parameters.at[from] == ' ')
                from++;
            if (from < i)
                normal_name_write_type(file, (struct part){parameters.at + from, i - from});
            from = i + 1;
        }
    }
    putc(')', file);
    fclose(file);
    out[size - 1] = '\0';
    return true;
}

/* ------------------------------------------------------------------------------------------ names -- */

/* The length of a library at the beginning, "libc.so.6" of "libc.so.6.read"; 0: there is none before a name. *next:
 * where the name begins. */
static size_t normal_name_library_length(const char *text, const char **next)
{
    const char *at = strstr(text, ".so");
    size_t head = strcspn(text, " (/;`!");
    if (!at || at == text || (size_t)(at - text) >= head)
        return 0;
    at += 3;
    while (*at == '.' && isdigit((unsigned char)at[1]))
        at += 1 + strspn(at + 1, "0123456789");
    bool dotted = *at == '.' && (strncmp(text, "lib", 3) == 0 || strncmp(text, "ld-", 3) == 0);
    if (!at[0] || !at[1] || !(dotted || *at == '`' || *at == '!'))
        return 0;
    *next = at + 1;
    return (size_t)(at - text);
}

/* Whether the name of a class is that of a library, which async-profiler writes in its place. */
static bool normal_name_is_library(const char *class_name, const char *signature)
{
    const char *at = strstr(class_name, ".so");
    size_t length = strlen(class_name);
    bool versioned = at && at > class_name && strspn(at + 3, ".0123456789") == strlen(at + 3);
    bool other = length > 6 && strcmp(class_name + length - 6, ".dylib") == 0;
    return versioned || other || strcmp(signature, "()L;") == 0 || strcmp(signature, "(Lk;)L;") == 0;
}

/* Where the name of a method is in a name: behind the class and what separates both. */
struct split {
    struct part class_name, name;
    const char *rest; /* parameters, or the end */
    bool internal;    /* written with slashes, or as a type */
};

/* A return type that comes first, as in "int java.util.HashMap.hash(java.lang.Object)". */
static const char *normal_name_skip_type(const char *text)
{
    size_t length = strcspn(text, " (");
    for (size_t i = 0; i < length; i++)
        if (!normal_name_is_identifier(text[i]) && !strchr(".[]", text[i]))
            return text;
    return text[length] == ' ' && strchr(text + length, '(') && text[length + 1] != '(' ? text + length + 1 : text;
}

static size_t normal_name_method_start(const char *text, size_t end)
{
    size_t from = end;
    if (from > 0 && text[from - 1] == '>') { /* <init>, <clinit> */
        while (from > 0 && text[from - 1] != '<')
            from--;
        return from > 0 ? from - 1 : end;
    }
    while (from > 0 && (normal_name_is_identifier(text[from - 1]) || text[from - 1] == '-'))
        from--;
    return from;
}

/* Whether the class is one of Java's, not a package of Go or a name of C++. */
static bool normal_name_is_java_class(const struct split *split, bool is_java)
{
    struct part class_name = split->class_name;
    size_t slash = 0, dot_before = 0, dots = 0;
    for (size_t i = 0; i < class_name.length; i++) {
        char c = class_name.at[i];
        if (!normal_name_is_identifier(c) && !strchr("./+-", c))
            return false;
        if (c == '/' && strncmp(class_name.at + i, "/0x", 3) != 0 && !isdigit((unsigned char)class_name.at[i + 1])) {
            slash = i + 1;
            dot_before = dots;
        }
        dots += c == '.';
    }
    if (is_java || split->internal)
        return true;
    if (slash == 0)
        return true;
    bool upper = isupper((unsigned char)class_name.at[slash]) ||
                 memchr(class_name.at + slash, '$', class_name.length - slash) != NULL;
    return upper && dot_before == 0;
}

/* A name of Java that a profiler wrote as one text. False if it is none, or needs no other spelling. */
static bool normal_name_split_java(const char *text, bool is_java, struct normal_name *normal)
{
    struct split split;
    text = normal_name_skip_type(text);
    size_t head = strcspn(text, "("), from = normal_name_method_start(text, head), end = from;
    split.name = (struct part){text + from, head - from};
    split.rest = text + head;
    bool pair = end >= 2 && (strncmp(text + end - 2, "::", 2) == 0 || strncmp(text + end - 2, "->", 2) == 0);
    end -= pair ? 2 : end > 0 && text[end - 1] == '.';
    split.internal = *text == 'L' && end > 2 && text[end - 1] == ';';
    split.class_name = split.internal ? (struct part){text + 1, end - 2} : (struct part){text, end};
    bool packaged = memchr(text, '.', end) || memchr(text, '/', end);
    if (!((split.internal || (pair ? packaged : end < from)) && split.class_name.length > 0 && split.name.length > 0 &&
          !isdigit((unsigned char)*split.name.at)) ||
        !normal_name_is_java_class(&split, is_java) ||
        !normal_name_normalize_signature(split.rest, normal->signature, sizeof normal->signature))
        return false;
    normal_name_copy_part(split.class_name, normal->class_name, sizeof normal->class_name);
    normal_name_normalize_class(normal->class_name);
    normal_name_copy_part(split.name, normal->name, sizeof normal->name);
    return true;
}

void normal_name(const struct trace_method *method, struct normal_name *normal)
{
    const char *next;
    snprintf(normal->class_name, sizeof normal->class_name, "%s", method->class_name);
    snprintf(normal->name, sizeof normal->name, "%s", method->name);
    snprintf(normal->signature, sizeof normal->signature, "%s", method->signature);
    normal->library[0] = '\0';
    /* Cuts the kind of code off that async-profiler appends. */
    char *name = normal->name;
    size_t length = strlen(name);
    const char *end = length > 4 ? name + length - 4 : "";
    bool is_kind = strncmp(end, "_[", 2) == 0 && strchr("jik01", end[2]) && end[3] == ']';
    bool is_java = is_kind && end[2] != 'k';
    if (is_kind)
        name[length - 4] = '\0';
    if (*method->class_name && normal_name_is_library(method->class_name, method->signature)) {
        normal_name_copy_part((struct part){method->class_name, strlen(method->class_name)}, normal->library,
                              sizeof normal->library);
        normal->class_name[0] = normal->signature[0] = '\0';
    } else if (*method->class_name) {
        normal_name_normalize_class(normal->class_name);
    } else {
        char text[NORMAL_NAME_MAX];
        size_t library = is_java ? 0 : normal_name_library_length(normal->name, &next);
        if (library > 0) {
            normal_name_copy_part((struct part){normal->name, library}, normal->library, sizeof normal->library);
            memmove(normal->name, next, strlen(next) + 1);
        }
        if (strcmp(method->signature, "()L;") == 0 || strcmp(method->signature, "(Lk;)L;") == 0)
            normal->signature[0] = '\0';
        if (library > 0 || *normal->signature)
            return;
        memcpy(text, normal->name, sizeof text);
        if (!normal_name_split_java(text, is_java, normal)) {
            normal->class_name[0] = normal->signature[0] = '\0';
            memcpy(normal->name, text, sizeof text);
        }
    }
}
