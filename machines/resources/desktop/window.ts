import type { ListedStanding } from './standings.ts';
import type { ResourceContents } from '../../protocol/messages/collections.ts';

/** One window as a server shows it: what its list says, and what a read of it gave. */
export interface Window {
  /** The MCP server that lists it. */
  readonly server: string;
  /** As the server lists it. */
  readonly uri: string;
  /** Null: it was not read. */
  readonly contents: readonly Content[] | null;
  /** What its list entry says where the query of the URI says nothing. */
  readonly standing?: ListedStanding;
}
/** One item of what MCP's `resources/read` answers: text, or a blob. */
export type Content = Pick<ResourceContents, 'text' | 'blob'>;

/** A window with nothing in it, or with blobs only, is none. One whose text is empty is: its URI tells that it is there. */
export const isShown = ({ contents }: Window): boolean =>
  contents?.some(({ text }) => typeof text === 'string') === true;

/** Something in it cannot be shown: what its computer warns of, once per window and revision. */
export const hasBlob = ({ contents }: Window): boolean =>
  contents?.some(({ text, blob }) => typeof text !== 'string' && typeof blob === 'string') === true;

const gap = '\n\n';

/** One `Desktop` of seed 001: the URI, an empty line, all its texts with an empty line between them; or the bare URI. */
export function renderWindow({ uri, contents }: Window): string {
  const texts = (contents ?? []).flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  // As they are: the first blanks of code say something, and so does an empty text among others.
  const body = texts.join(gap);
  return body === '' ? uri : uri + gap + body;
}

/** A rendered window as who reads it takes it apart. */
export interface ShownWindow {
  /** Its `window://` URI, as its server lists it. */
  readonly uri: string;
  /** Empty: a bare URI. */
  readonly text: string;
}
export function readWindow(rendered: string): ShownWindow {
  const at = rendered.indexOf(gap);
  return at < 0
    ? { uri: rendered, text: '' }
    : { uri: rendered.slice(0, at), text: rendered.slice(at + gap.length) };
}
