/* static.c - a program for -static: no dynamic linker, so no agent. */
int main(void)
{
    return 0;
}
