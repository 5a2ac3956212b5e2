/** What a host is told of the Desktop and the Finder of a computer (docs/desktop-finder.md). Wire keys on purpose. */

import type { MissingServer } from '../../servers/server-handle.ts';

/** Which windows are wanted. */
export interface DesktopQuery {
  /** The most windows that are wanted; 0 or less: none. Default: all. */
  readonly size?: number;
  /** The one window that is wanted, by its URI exactly as listed. */
  readonly window?: string;
  /** Servers are asked for their lists and contents anew; default: what is known is shown, and only what changed is read. */
  readonly fresh?: boolean;
}
/** The windows of a computer. */
export interface DesktopShown {
  /** Each window is one text: its URI, an empty line, what it shows; or its URI alone. In order. */
  readonly desktops: readonly string[];
  /** Servers of which not all windows are in `desktops`, and why. */
  readonly missing: readonly MissingServer[];
}
/** Which documents are wanted, and which part of them. */
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
  /** Key within the host, as `buildDpeUri` takes it for `docRef`: decoded, such as `2026/plan b.pdf`. */
  readonly doc_ref: string;
  /** Its `dpe://` URI: what the reads of an agent take. */
  readonly uri: string;
  /** Where the file lies for its server, such as `file:///reports/q3.pdf`. */
  readonly file_uri: string;
  /** What kind of file it is, such as `pdf`. */
  readonly file_type: string;
  /** For people. */
  readonly title: string;
  /** How many pages it has. */
  readonly page_count: number;
  /** What it is about: `FinderQuery.keywords` looks here, too. */
  readonly keywords?: readonly string[] | null | undefined;
  /** What it says, in short: `FinderQuery.keywords` looks here, too. */
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
/** A part of the documents of a computer. */
export interface FinderShown {
  /** From `offset` on, `limit` at most, in the order of docs/desktop-finder.md. */
  readonly documents: readonly DocumentSummary[];
  /** After filtering, before paging. */
  readonly total_count: number;
  /** Servers of which not all documents are in `documents`, and why. */
  readonly missing: readonly MissingServer[];
}
/** What MCP's `resources/read` gives. */
export interface ResourceContent {
  /** Of this content, as its server has it; a read may give several. */
  readonly uri: string;
  /** As its server tells it; it is not checked. */
  readonly mimeType?: string | null | undefined;
  /** The content itself, where it is text; else it is in `blob`. */
  readonly text?: string | null | undefined;
  /** Base64. */
  readonly blob?: string | null | undefined;
  readonly [more: string]: unknown;
}

/** One message of a prompt. */
export interface PromptMessage {
  /** Who says it: `user` or `assistant`. */
  readonly role: string;
  /** One content as MCP has it: `text`, `image`, `audio`, `resource`, `resource_link`. */
  readonly content: { readonly type: string } & Readonly<Record<string, unknown>>;
}
/** A prompt that its server filled in. */
export interface PromptFilled {
  /** What it is for. */
  readonly description?: string | null | undefined;
  /** What a model is to be sent, in order. */
  readonly messages: readonly PromptMessage[];
}
