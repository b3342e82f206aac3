/** Disposing takes the item out of its heap, wherever it stands; after it has left, it does nothing. */
export type HeapEntry = Disposable;

/** A binary heap: what comes first is found in O(1), put in and taken out in O(log n). */
export interface Heap<T> {
  readonly size: number;
  push(item: T): HeapEntry;
  /** The item that comes before all others, left in place; undefined when empty. */
  peek(): T | undefined;
  /** Takes that item out. */
  pop(): T | undefined;
}

/** Is its own entry, since every timer of a program comes through here. */
class Slot<T> implements HeapEntry {
  readonly item: T;
  /** Where this slot stands in the heap's array; -1 once it has left. */
  index: number;
  readonly #remove: (slot: Slot<T>) => void;

  constructor(item: T, index: number, remove: (slot: Slot<T>) => void) {
    this.item = item;
    this.index = index;
    this.#remove = remove;
  }

  [Symbol.dispose](): void {
    if (this.index >= 0) this.#remove(this);
  }
}

/**
 * A heap ordered by `before(a, b)`: a strict order, true when `a` comes out earlier. Among items of which neither comes
 * before the other the order is open, so give `before` a tie-break where it matters.
 */
export function createHeap<T>(before: (a: T, b: T) => boolean): Heap<T> {
  const slots: Slot<T>[] = [];

  const place = (slot: Slot<T>, index: number): void => {
    slots[index] = slot;
    slot.index = index;
  };

  const up = (slot: Slot<T>): void => {
    while (slot.index > 0) {
      const parentIndex = (slot.index - 1) >> 1;
      const parent = slots[parentIndex] as Slot<T>;
      if (!before(slot.item, parent.item)) return;
      place(parent, slot.index);
      place(slot, parentIndex);
    }
  };

  const down = (slot: Slot<T>): void => {
    for (;;) {
      const left = slots[2 * slot.index + 1];
      const right = slots[2 * slot.index + 2];
      if (left === undefined) return;
      const child = right !== undefined && before(right.item, left.item) ? right : left;
      if (!before(child.item, slot.item)) return;
      const childIndex = child.index;
      place(child, slot.index);
      place(slot, childIndex);
    }
  };

  const remove = (slot: Slot<T>): void => {
    const last = slots.pop() as Slot<T>;
    if (last !== slot) {
      place(last, slot.index);
      up(last);
      down(last);
    }
    slot.index = -1;
  };

  return {
    get size() {
      return slots.length;
    },
    push(item): HeapEntry {
      const slot = new Slot(item, slots.length, remove);
      slots.push(slot);
      up(slot);
      return slot;
    },
    peek: () => slots[0]?.item,
    pop(): T | undefined {
      const first = slots[0];
      if (first === undefined) return undefined;
      remove(first);
      return first.item;
    },
  };
}
