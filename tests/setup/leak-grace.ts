/** How long a file may go on after its last test; longer than any teardown, which may come after the guard's own hook. */
export const leakGraceMs = 10_000;
