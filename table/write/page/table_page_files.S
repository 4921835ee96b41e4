/* The files of the page, as they are in this folder. */
.macro embed name, file
    .globl \name
    .type \name, @object
\name:
    .incbin "\file"
    .byte 0
    .size \name, . - \name
.endm

    .section .rodata
    embed table_page_html_file, "table/write/page/page.html"
    embed table_page_css_file, "table/write/page/page.css"
    embed table_page_js_file, "table/write/page/page.js"
    .section .note.GNU-stack, "", @progbits
