/** JSON, as it came or as it is recorded. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** One step of a conversation, with nothing in it that differs from run to run. */
export interface TranscriptEntry {
  /** `GET /api/v1/nodes?limit=1`, and who asked when it was not the administrator. */
  readonly request: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or the text as it is when it is none. */
  readonly body?: Json;
  /** What a watch delivered since the entry before that speaks of it. */
  readonly events?: readonly Json[];
  /** The watch ended. */
  readonly ended?: true;
}

export type Transcript = readonly TranscriptEntry[];
