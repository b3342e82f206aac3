import type { SourceEvent } from "../event/source-event.ts";

/** True lets an event through. Must be pure. */
export type Predicate<T> = (event: SourceEvent<T>) => boolean;
