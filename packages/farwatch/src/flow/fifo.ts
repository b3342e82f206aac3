/** A first-in, first-out list with O(1) push and shift, where Array.prototype.shift is O(n). */
export interface Fifo<T> {
  readonly size: number;
  push(item: T): void;
  /** The oldest item, left in place. */
  peek(): T | undefined;
  shift(): T | undefined;
}

export function createFifo<T>(): Fifo<T> {
  /** Items before head are spent. */
  let items: (T | undefined)[] = [];
  let head = 0;
  return {
    get size() {
      return items.length - head;
    },
    push(item): void {
      items.push(item);
    },
    peek: () => items[head],
    shift(): T | undefined {
      if (head >= items.length) return undefined;
      const item = items[head];
      items[head] = undefined;
      head += 1;
      // Cutting when at least half is spent makes the copy cost O(1) an item.
      if (head >= 1_024 && head * 2 >= items.length) {
        items = items.slice(head);
        head = 0;
      }
      return item;
    },
  };
}
