import type { ServerHistory } from '../history/index.ts';
import type { Failure } from '../wire/failure.ts';
import type { Read } from '../wire/lists.ts';
import type { ResourceContents } from '../wire/resource.ts';

/** The two systems that a computer makes of the resources of its servers (seeds 000 and 001). */
export type System = 'desktop' | 'finder';

/** A server of which not all could be had, and why: its part of the answer is what there is. */
export interface Missing {
  readonly server: string;
  readonly reason: string;
}
export type Contents = readonly ResourceContents[];
/** What a server lists of a system. */
export interface Listed {
  readonly server: string;
  readonly uris: readonly string[];
}

/** What a host is told once, and again when `mark` is another. */
export interface Notice {
  readonly about: string;
  readonly mark: string;
  readonly text: string;
}
/** Who is asked to read, and what the host should know about that. */
export interface Routed {
  readonly server: string;
  readonly notice: Notice | null;
}

/** In which the two differ; all else is one machine. `Item` is what one read gives: a window, documents. */
export interface SystemRules {
  /** Of a list those URIs that belong to the system, each once, in the order of the list. */
  readonly urisIn: (resources: readonly { readonly uri: string }[]) => readonly string[];
  /** Of these the ones that are read for the whole. */
  readonly toRead: (uris: readonly string[]) => readonly string[];
  /** Of those that are read the ones that are others now that this one has changed; none: it is not of this system. */
  readonly touchedBy: (uri: string, read: readonly string[]) => readonly string[];
  /** What a read gave. */
  readonly itemsOf: (contents: Contents, uri: string, server: string) => Read<readonly object[]>;
  /** What of it a host should know. */
  readonly noticesOf: (items: readonly object[]) => readonly Notice[];
  /** The answer to a question as the wire has it, but for its `req_id`. */
  readonly answerOf: (items: readonly object[], query: object, history: ServerHistory) => object;
  /** The server that is asked to read this, or why nobody is. */
  readonly routeOf: (uri: string, listed: readonly Listed[], history: ServerHistory) => Read<Routed>;
  /** What whoever reads it is told when its server refuses. */
  readonly refusalOf: (refused: Failure, uri: string) => Failure;
}
