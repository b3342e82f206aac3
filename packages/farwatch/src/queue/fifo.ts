/** A first-in, first-out list with O(1) push and shift, where Array.prototype.shift is O(n). */
export interface Fifo<T> {
  push(item: T): void;
  /** The oldest item, left in place. */
  peek(): T | undefined;
  shift(): T | undefined;
}

export function createFifo<T>(): Fifo<T> {
  let items: (T | undefined)[] = [];
  let head = 0;
  return {
    push(item): void {
      items.push(item);
    },
    peek: () => items[head],
    shift(): T | undefined {
      const item = items[head];
      if (head >= items.length) return undefined;
      items[head] = undefined;
      head += 1;
      if (head >= 1_024 && head * 2 >= items.length) {
        items = items.slice(head);
        head = 0;
      }
      return item;
    },
  };
}
