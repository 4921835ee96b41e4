/* static.c - a program for -static: without a dynamic linker it gets no agent. */
int main(void)
{
    return 0;
}
