/** A checkpoint that outlives the openings of a source, and no process. */
export function keptPlace() {
  let kept: string | undefined;
  return {
    read: () => kept,
    write(place: string): void {
      kept = place;
    },
  };
}
