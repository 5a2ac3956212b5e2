import type { Standings } from '../desktop/standings.ts';
import type { ServerHistory } from '../../call/history.ts';
import type { Failure } from '../../protocol/failure.ts';
import type { Read } from '../../protocol/messages/lists.ts';
import type { Missing, ResourceContents } from '../../protocol/messages/collections.ts';
export type { ResourceCollection } from '../../kernel/ports.ts';

export type { Standings } from '../desktop/standings.ts';
export type { Missing } from '../../protocol/messages/collections.ts';

/** One entry of a server that spoils itself only: a URI that breaks a rule, a document that is none. */
export type Refused = Omit<Missing, 'server'>;
export type Contents = readonly ResourceContents[];
/** What a server lists of a system. */
export interface Listed {
  readonly server: string;
  readonly uris: readonly string[];
  /** What the list says of windows beside their URIs. */
  readonly standings: Standings;
}
/** What is known of one server when somebody asks. */
export interface Part {
  readonly server: string;
  /** Null: its list has not come. */
  readonly uris: readonly string[] | null;
  /** Null: not known as it is now. */
  readonly items: readonly object[] | null;
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

/** What one read gave: windows or documents, and entries that are none. */
export interface Items {
  readonly items: readonly object[];
  readonly refused: readonly Refused[];
}

/** In which the two differ; all else is one machine. `Item` is what one read gives: a window, documents. */
export interface CollectionRules {
  /** Of a list those URIs that belong to the system, each once, in the order of the list. */
  readonly urisIn: (resources: readonly { readonly uri: string }[]) => readonly string[];
  /** What the list says of its entries beside their URIs, as far as it counts. */
  readonly standingsIn: (resources: readonly { readonly uri: string }[]) => Standings;
  /** Of a list those URIs that would belong to the system and break one of its rules. */
  readonly refusedIn: (resources: readonly { readonly uri: string }[]) => readonly Refused[];
  /** Of these the ones that are read for the whole. */
  readonly toRead: (uris: readonly string[]) => readonly string[];
  /**
   * Of these the ones that are others now that this one has changed: it by host and path, whatever its query, and what it
   * is a part of. None: it is not of this system, or nobody has listed it.
   */
  readonly touchedBy: (uri: string, among: readonly string[]) => readonly string[];
  /** Whether it, or what it is a part of, is listed: a catalogue is no list. */
  readonly isListed: (uri: string, listed: readonly string[]) => boolean;
  /** The servers without which a question has no answer. */
  readonly neededBy: (query: object, history: ServerHistory, parts: readonly Part[]) => readonly string[];
  /** The one entry that a question is for; null: it is for all. */
  readonly onlyOf: (query: object) => string | null;
  /** What a read gave. */
  readonly itemsOf: (contents: Contents, uri: string, server: string) => Read<Items>;
  /** What of it a host should know. */
  readonly noticesOf: (items: readonly object[]) => readonly Notice[];
  /** The answer to a question as the wire has it, but for its `req_id`. */
  readonly answerOf: (items: readonly object[], query: object, history: ServerHistory) => object;
  /** The server that is asked to read this, or why nobody is. */
  readonly routeOf: (uri: string, listed: readonly Listed[], history: ServerHistory) => Read<Routed>;
  /** What whoever reads it is told when its server refuses. */
  readonly refusalOf: (refused: Failure, uri: string) => Failure;
}
