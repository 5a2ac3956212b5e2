/** Servers with windows and documents, and the questions of a host to the computer that shows them. */
import { toolsOnly, type Act, type Script } from './scripted/script.ts';
import type { Harness } from './harness.ts';

const capabilities = { ...toolsOnly, resources: { listChanged: true, subscribe: true } };
type Reply = Exclude<Act, (...args: never) => unknown>;
export const showing = (uris: readonly string[], read: (uri: string) => Reply): Script => ({
  info: { capabilities },
  resources: uris.map((uri) => ({ uri, name: uri })),
  methods: { 'resources/read': ({ arguments: { uri } }) => read(String(uri)) },
});
export const given = (uri: string, content: object, afterMs = 1) => ({
  answers: { contents: [{ uri, ...content }] },
  afterMs,
});
export const windows = (...uris: string[]): Script =>
  showing(uris, (uri) => given(uri, { text: `shown at ${uri}` }));
export const document = (uri: string, last_modified: string): object => ({
  doc_ref: uri,
  uri,
  file_uri: `file:///${uri}`,
  file_type: 'md',
  title: uri,
  page_count: 1,
  last_modified,
});
export const documents = (...uris: string[]): Script =>
  showing(uris, (uri) => given(uri, { text: JSON.stringify(document(uri, '2026-01-01T00:00:00Z')) }));

export const replyTo = 'host:computer';
export const ask = (s: Harness, collection: 'desktop' | 'finder', query: object = {}, ticket = 't'): void =>
  s.order('computer', { type: 'aggregate.wanted', collection, ticket, reqId: 'r', query, replyTo });
/** Asks, and lets these ms pass. */
export async function collected(
  s: Harness,
  collection: 'desktop' | 'finder',
  query: object = {},
  ms = 100,
): Promise<void> {
  ask(s, collection, query);
  await s.run(ms);
}
export const read = (s: Harness, collection: 'desktop' | 'finder', uri: string): void =>
  s.order('computer', { type: 'resource.wanted', collection, ticket: 'r', reqId: 'r', uri, replyTo });
export interface Shown {
  readonly body: {
    readonly desktops: string[];
    readonly documents: { uri: string }[];
    readonly total_count: number;
  };
  readonly missing: readonly { server: string; reason: string }[];
  readonly failure: { readonly message: string } | null;
}
export const answers = (s: Harness): Shown[] => s.heard('computer', 'aggregate.shown') as unknown as Shown[];
export const shown = (s: Harness): Shown => answers(s).at(-1) as Shown;
export const reads = (s: Harness): number =>
  s.seen.filter(
    ({ record: r }) =>
      r.k === 'out' && r.port === 'ask' && (r.ev as { method?: string }).method === 'resources/read',
  ).length;
export const changes = (s: Harness, collection: string): number =>
  s.heard('computer', 'aggregate.changed').filter((news) => news['collection'] === collection).length;

export const now = { text: 'before', listed: [] as readonly string[] };
export const says = (...uris: readonly string[]): void =>
  void Object.assign(now, { text: 'before', listed: uris });
export const saying = (uri: string) => given(uri, { text: now.text });
export const listing = (read: (uri: string) => Reply): Script => {
  const script = showing([], read);
  const list = () => ({ answers: { resources: now.listed.map((uri) => ({ uri, name: uri })) } });
  return { ...script, methods: { ...script.methods, 'resources/list': list } };
};
