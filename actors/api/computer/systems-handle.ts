/** What a host is told of the Desktop and the Finder of a computer (docs/desktop-finder.md). Wire keys on purpose. */

/** A server of which not all is in an answer, and why. */
export interface MissingServer {
  readonly server: string;
  readonly reason: string;
  /** The one window or document that is meant; without it the server as a whole. */
  readonly uri?: string;
}
export interface DesktopQuery {
  /** The most windows that are wanted; 0 or less: none. Default: all. */
  readonly size?: number;
  /** The one window that is wanted, by its URI exactly as listed. */
  readonly window?: string;
  /** Servers are asked for their lists and contents anew; default: what is known is shown, and only what changed is read. */
  readonly fresh?: boolean;
}
export interface DesktopShown {
  /** Each window is one text: its URI, an empty line, what it shows; or its URI alone. In order. */
  readonly desktops: readonly string[];
  readonly missing: readonly MissingServer[];
}
export interface FinderQuery {
  /** One of them must be in the title, the keywords or the summary, whatever its case. Default: any document. */
  readonly keywords?: readonly string[];
  /** Exactly this, such as `pdf`. */
  readonly fileType?: string;
  /** How many are passed over. Default 0. */
  readonly offset?: number;
  /** How many are given: default 20, 100 at the most, none for 0 or less. */
  readonly limit?: number;
  /** Servers are asked for their lists and contents anew; default: what is known is shown, and only what changed is read. */
  readonly fresh?: boolean;
}
/** A document as its server tells it (seed 000). */
export interface DocumentMetadata {
  /** Percent-encoded, as it stands in its URI. */
  readonly doc_ref: string;
  readonly uri: string;
  readonly file_uri: string;
  readonly file_type: string;
  readonly title: string;
  readonly page_count: number;
  readonly keywords?: readonly string[] | null | undefined;
  readonly summary?: string | null | undefined;
  /** ISO 8601; without a zone it is UTC. */
  readonly last_modified?: string | null | undefined;
  readonly [more: string]: unknown;
}
/** A document in a Finder: as its server tells it, and that server. */
export interface DocumentSummary extends DocumentMetadata {
  /** Its name in the config. */
  readonly server: string;
}
export interface FinderShown {
  readonly documents: readonly DocumentSummary[];
  /** After filtering, before paging. */
  readonly total_count: number;
  readonly missing: readonly MissingServer[];
}
/** What MCP's `resources/read` gives. */
export interface ResourceContent {
  readonly uri: string;
  readonly mimeType?: string | null | undefined;
  readonly text?: string | null | undefined;
  /** Base64. */
  readonly blob?: string | null | undefined;
  readonly [more: string]: unknown;
}
