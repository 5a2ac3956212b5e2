import { readWindow } from '../../../machines/resources/desktop.ts';
import type { CallSettled } from '../../../machines/call/messages.ts';

/** An answer to a question for a Desktop, a Finder or a resource, whoever asked. */
export interface Shown {
  /** ms. */
  readonly at: number;
  /** Of windows, documents or contents, in their order. */
  readonly uris: readonly string[];
  /** What each of them says; of a document its title. */
  readonly texts: readonly string[];
  /** Of a Finder, before paging. */
  readonly total: number | null;
  /** Servers of which not all is there. */
  readonly missing: readonly string[];
  /** Of the failure; null: there is none. */
  readonly code: string | number | null;
}
type Body = { readonly [Key in keyof Told]?: Told[Key] | undefined };
interface Told {
  /** An ack that says no. */
  readonly error?: { readonly code: number };
  readonly desktops?: readonly string[];
  readonly documents?: readonly { readonly uri: string; readonly title: string }[];
  readonly total_count?: number;
  readonly contents?: readonly { readonly uri: string; readonly text?: string }[];
  readonly missing?: readonly { readonly server: string }[];
}
export type Answer = Partial<Pick<CallSettled, 'failure' | 'result'>> & {
  readonly body?: Body;
  readonly missing?: Body['missing'];
  readonly contents?: Body['contents'];
};

/** What the host of a computer hears, and what the host of an agent hears, read alike. */
export function shownBy(answer: Answer, at: number): Shown {
  const { failure = null, result } = answer;
  const body: Body = answer.body ?? result ?? answer;
  const windows = (body.desktops ?? []).map((rendered) => readWindow(rendered));
  const documents = (body.documents ?? []).map(({ uri, title }) => ({ uri, text: title }));
  const all = [...windows, ...documents, ...listed(body.contents)];
  return {
    at,
    uris: all.map(({ uri }) => uri),
    texts: all.map(({ text = '' }) => text),
    total: body.total_count ?? null,
    missing: (answer.missing ?? body.missing ?? []).map(({ server }) => server),
    code: failure?.code ?? body.error?.code ?? null,
  };
}
const listed = (contents: Body['contents']): NonNullable<Body['contents']> =>
  Array.isArray(contents) ? contents : [];
