/* The files of the page, as they are in this folder, and those of a table's page, which it looks like. */
.macro embed name, file
    .globl \name
    .type \name, @object
\name:
    .incbin "\file"
    .byte 0
    .size \name, . - \name
.endm

    .section .rodata
    embed experiment_page_html_file, "collect/experiment/page/page.html"
    embed experiment_page_css_file, "collect/experiment/page/page.css"
    embed experiment_page_js_file, "collect/experiment/page/page.js"
    embed experiment_table_css_file, "table/write/page/page.css"
    embed experiment_table_js_file, "table/write/page/page.js"
    .section .note.GNU-stack, "", @progbits
