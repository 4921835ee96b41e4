! heat ROUNDS - heat spreads on a 256 x 256 grid for ROUNDS steps; after each step a table of 64 temperatures is
! searched from its beginning for each of 256 cells. For measuring what a tool costs a Fortran program.
program heat
    implicit none
    integer, parameter :: n = 256, row = 85, entries = 64
    double precision :: old(n, n), new(n, n), table(entries)
    integer :: rounds, round, i, k, found
    character(len=16) :: text
    call get_command_argument(1, text)
    read (text, *) rounds
    old = 0
    old(n/4:n/2, n/4:n/2) = 100
    new = old
    table = [(100d0*i/entries, i=1, entries)]
    found = 0
    do round = 1, rounds
        call step(old, new)
        old = new
        do i = 1, n
            do k = 1, entries - 1
                if (old(i, row) >= table(k) .and. old(i, row) <= table(k + 1)) then
                    found = found + k
                    exit
                end if
            end do
        end do
    end do
    print '(a, i0, a, f0.6)', 'heat: found ', found, ', mean ', sum(old)/n**2
contains
    subroutine step(from, to)
        double precision, intent(in) :: from(n, n)
        double precision, intent(inout) :: to(n, n)
        integer :: x, y
        do y = 2, n - 1
            do x = 2, n - 1
                to(x, y) = from(x, y) + 0.2d0*(from(x - 1, y) + from(x + 1, y) + from(x, y - 1) + from(x, y + 1) &
                    - 4*from(x, y))
            end do
        end do
    end subroutine step
end program heat
