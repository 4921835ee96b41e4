/* What the page of assay waste does with names, files and texts. */
#include <stdlib.h>

#include "analyze/waste/page/waste_page_parts.h"

#include "tests/tap.h"

/* The file of a method; "" if it is unknown. */
static void file_is(const char *class_name, const char *file, size_t size, const char *expected)
{
    char text[64] = "";
    const struct trace_method method = {class_name, "f", "", file};
    bool known = waste_frame_file(&method, text, size);
    is_text(text, expected, *expected ? expected : "unknown");
    ok(known == (*expected != '\0'), "  and known or not");
}

static void test_files(void)
{
    file_is("java.util.HashMap", "HashMap.java", 64, "java/util/HashMap.java");
    file_is("app.Outer$Inner", "Outer.java", 64, "app/Outer.java");
    file_is("Main", "Main.java", 64, "Main.java");
    file_is("", "/src/a.c", 64, "/src/a.c");
    file_is("", "a.c", 64, "a.c");
    file_is("java.util.HashMap", "/src/HashMap.java", 64, "/src/HashMap.java");
    file_is("java.util.HashMap", "", 64, "");
    file_is("a.b.C", "C.java", 4, "a/b");
}

static void json_is(const char *text, size_t length, const char *expected)
{
    char *got = NULL;
    size_t got_length = 0;
    FILE *out = open_memstream(&got, &got_length);
    waste_page_json(out, text, length);
    fclose(out);
    is_text(got, expected, expected);
    free(got);
}

static void test_json(void)
{
    json_is("plain", 5, "\"plain\"");
    json_is("a\"b\\c", 5, "\"a\\\"b\\\\c\"");
    json_is("</script>", 9, "\"\\u003c/script>\"");
    json_is("<!--", 4, "\"\\u003c!--\"");
    json_is("\n\r\t\x7f", 4, "\"\\n\\u000d\\u0009\\u007f\"");
    json_is("a\0b", 3, "\"a\\u0000b\"");
    json_is("\u2028\u2029\u2027", 9, "\"\\u2028\\u2029\u2027\"");
    json_is("\xff", 1, "\"\u00ff\"");
    json_is("", 0, "\"\"");
}

/* The file that is found for a name; paths as sorted by waste_page_index(). */
static void search_is(const char *name, const char *expected, size_t alike)
{
    static char *paths[] = {"y/a/part.c", "y/b/part.c", "y/b/src/part.c", "z/src/part.c", "z/xsrc/part.c", "y/q.c"};
    const struct waste_page_index index = {.paths = paths, .count = sizeof paths / sizeof *paths};
    size_t found_alike = 0;
    const char *found = waste_page_search(&index, name, &found_alike);
    is_text(found ? found : "", expected, name);
    if (found)
        is_u64(found_alike, alike, "  the number of files that may be meant");
}

static void test_search(void)
{
    search_is("/build/b/src/part.c", "y/b/src/part.c", 1);
    search_is("src/part.c", "z/src/part.c", 2); /* the shorter one of two */
    search_is("part.c", "y/a/part.c", 5);       /* the first of the shortest */
    search_is("/build/xsrc/part.c", "z/xsrc/part.c", 1);
    search_is("q.c", "y/q.c", 1);
    search_is("/none/r.c", "", 0);
    search_is("art.c", "", 0);
}

int main(void)
{
    test_files();
    test_json();
    test_search();
    return done_testing();
}
