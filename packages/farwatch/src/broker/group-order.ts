/** A message that a broker may have put into a group, whose messages have an order. */
export interface Grouped {
  readonly id: string;
  /** Undefined: it follows no other. */
  readonly group: string | undefined;
}

/**
 * Hands messages of a group on one at a time: the next when the one before is done, none when it was given back. A
 * broker that keeps an order hands several of a group over in one answer.
 */
export interface GroupOrder<M extends Grouped> {
  /** What may be handed on now. One that is known already, handed over anew, takes the place of the earlier. */
  add(messages: readonly M[]): readonly M[];
  /** The next of its group, which may be handed on now. */
  done(message: M): M | undefined;
  /** Those that waited behind it, and must go back as well. */
  givenBack(message: M): readonly M[];
}

export function createGroupOrder<M extends Grouped>(): GroupOrder<M> {
  /** Of each group, the one that was handed on and, behind it, those that wait. */
  const groups = new Map<string, M[]>();

  const admit = (message: M): boolean => {
    if (message.group === undefined) return true;
    const queue = groups.get(message.group);
    if (queue === undefined) {
      groups.set(message.group, [message]);
      return true;
    }
    const known = queue.findIndex(({ id }) => id === message.id);
    if (known === -1) queue.push(message);
    else queue[known] = message;
    return known === 0;
  };
  /** The queue that this message leads. */
  const queueOf = ({ id, group }: M): M[] | undefined => {
    const queue = group === undefined ? undefined : groups.get(group);
    return queue?.[0]?.id === id ? queue : undefined;
  };

  return {
    add: (messages) => messages.filter(admit),
    done(message): M | undefined {
      const queue = queueOf(message);
      queue?.shift();
      if (queue?.length === 0) groups.delete(message.group ?? "");
      return queue?.[0];
    },
    givenBack(message): readonly M[] {
      const queue = queueOf(message);
      if (queue === undefined) return [];
      groups.delete(message.group ?? "");
      return queue.slice(1);
    },
  };
}
