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
    embed waste_page_html_file, "analyze/waste/page/page.html"
    embed waste_page_css_file, "analyze/waste/page/page.css"
    embed waste_page_model_file, "analyze/waste/page/model.js"
    embed waste_page_list_file, "analyze/waste/page/list.js"
    embed waste_page_detail_file, "analyze/waste/page/detail.js"
    embed waste_page_views_file, "analyze/waste/page/views.js"
    embed waste_page_app_file, "analyze/waste/page/app.js"
    .section .note.GNU-stack, "", @progbits
