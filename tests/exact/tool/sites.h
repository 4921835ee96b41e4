/*
 * sites.h - the instructions that random programs are made of: SITE(name, operation, size, lanes, text).
 *
 * Each becomes a function site_NAME with that one instruction. It finds its place in rdi, a second place in rsi, a
 * count in rcx, operands in rax, rdx and xmm0 or ymm0, and a file in r8. `size` is that of one access. A move that
 * compilers use for integers and floats alike (movups) has the type of the instruction that made the value: maxps of a
 * value with itself leaves it unchanged, but makes it a vector of floats. Atomic instructions are aligned: an access
 * across two cache lines would lock the whole machine's bus.
 */
/* clang-format off */
SITE(load_1, OP_LOAD, 1, MODEL_EXACT, "movb (%rdi), %al")
SITE(load_2, OP_LOAD, 2, MODEL_EXACT, "movzwl (%rdi), %eax")
SITE(load_4, OP_LOAD, 4, MODEL_EXACT, "movl (%rdi), %eax")
SITE(load_8, OP_LOAD, 8, MODEL_EXACT, "movq (%rdi), %rax")
SITE(load_16, OP_LOAD, 16, MODEL_EXACT, "movdqu (%rdi), %xmm1")
SITE(load_32, OP_LOAD, 32, MODEL_EXACT, "vmovdqu (%rdi), %ymm1")
SITE(compare_4, OP_LOAD, 4, MODEL_EXACT, "cmpl %eax, (%rdi)")
SITE(add_from_8, OP_LOAD, 8, MODEL_EXACT, "addq (%rdi), %rax")
SITE(load_float, OP_LOAD, 4, MODEL_FLOATS, "movss (%rdi), %xmm1")
SITE(load_double, OP_LOAD, 8, MODEL_DOUBLES, "movsd (%rdi), %xmm1")
SITE(add_float, OP_LOAD, 4, MODEL_FLOATS, "addss (%rdi), %xmm1")
SITE(multiply_double, OP_LOAD, 8, MODEL_DOUBLES, "mulsd (%rdi), %xmm1")
SITE(add_8_floats, OP_LOAD, 32, MODEL_FLOATS, "vaddps (%rdi), %ymm1, %ymm1")
SITE(add_2_doubles, OP_LOAD, 16, MODEL_DOUBLES, "vaddpd (%rdi), %xmm1, %xmm1")
SITE(store_1, OP_STORE, 1, MODEL_EXACT, "movb %al, (%rdi)")
SITE(store_2, OP_STORE, 2, MODEL_EXACT, "movw %ax, (%rdi)")
SITE(store_4, OP_STORE, 4, MODEL_EXACT, "movl %eax, (%rdi)")
SITE(store_8, OP_STORE, 8, MODEL_EXACT, "movq %rax, (%rdi)")
SITE(store_16, OP_STORE, 16, MODEL_EXACT, "movdqu %xmm0, (%rdi)")
SITE(store_32, OP_STORE, 32, MODEL_EXACT, "vmovdqu %ymm0, (%rdi)")
SITE(store_float, OP_STORE, 4, MODEL_FLOATS, "movss %xmm0, (%rdi)")
SITE(store_double, OP_STORE, 8, MODEL_DOUBLES, "movsd %xmm0, (%rdi)")
SITE(store_4_floats, OP_STORE, 16, MODEL_FLOATS, "maxps %xmm0, %xmm0; movups %xmm0, (%rdi)")
SITE(store_untyped, OP_STORE, 16, MODEL_EXACT, "movups %xmm0, (%rdi)")
SITE(store_2_doubles, OP_STORE, 16, MODEL_DOUBLES, "movupd %xmm0, (%rdi)")
SITE(add_1, OP_ADD, 1, MODEL_EXACT, "addb %al, (%rdi)")
SITE(add_4, OP_ADD, 4, MODEL_EXACT, "addl %eax, (%rdi)")
SITE(add_8, OP_ADD, 8, MODEL_EXACT, "addq %rax, (%rdi)")
SITE(lock_add_4, OP_ATOMIC_ADD, 4, MODEL_EXACT, "lock addl %eax, (%rdi)")
SITE(exchange_add_8, OP_ATOMIC_ADD, 8, MODEL_EXACT, "lock xaddq %rax, (%rdi)")
SITE(exchange_4, OP_EXCHANGE, 4, MODEL_EXACT, "xchgl %eax, (%rdi)")
SITE(exchange_8, OP_EXCHANGE, 8, MODEL_EXACT, "xchgq %rax, (%rdi)")
SITE(compare_swap_4, OP_COMPARE_SWAP, 4, MODEL_EXACT, "lock cmpxchgl %edx, (%rdi)")
SITE(compare_swap_8, OP_COMPARE_SWAP, 8, MODEL_EXACT, "lock cmpxchgq %rdx, (%rdi)")
SITE(move_1, OP_MOVE, 1, MODEL_EXACT, "rep movsb")
SITE(move_8, OP_MOVE, 8, MODEL_EXACT, "rep movsq")
SITE(fill_1, OP_FILL, 1, MODEL_EXACT, "rep stosb")
SITE(fill_4, OP_FILL, 4, MODEL_EXACT, "rep stosl")
SITE(read_file, OP_SYSTEM_WRITE, 1, MODEL_EXACT,
     "mov %rdi, %r9; mov %r8, %rdi; mov %rsi, %r10; mov %r9, %rsi; mov %rcx, %rdx; mov $17, %eax; syscall; nop")
SITE(write_file, OP_SYSTEM_READ, 1, MODEL_EXACT,
     "mov %rdi, %r9; mov %r8, %rdi; mov %rsi, %r10; mov %r9, %rsi; mov %rcx, %rdx; mov $18, %eax; syscall; nop")
/* clang-format on */
