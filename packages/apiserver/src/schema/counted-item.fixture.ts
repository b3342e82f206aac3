export interface CountedItem {
  readonly name: string;
}

/** Runs something over a list of so many items with names of their own; gives how often it has read a name. */
export function readsOfNames(
  size: number,
  run: (items: readonly CountedItem[], names: readonly string[]) => void,
): number {
  let reads = 0;
  const names = Array.from({ length: size }, (_, index) => `n${index}`);
  const items = names.map((name) => ({
    get name() {
      reads += 1;
      return name;
    },
  }));
  run(items, names);
  return reads;
}
