import type { PoisonMessage } from "farwatch";

/** A dead-letter hook that remembers. */
export function deadLetters(): { readonly letters: readonly PoisonMessage[]; remember(letter: PoisonMessage): void } {
  const letters: PoisonMessage[] = [];
  return {
    letters,
    remember(letter): void {
      letters.push(letter);
    },
  };
}
