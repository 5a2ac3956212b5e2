/** Scripted foreign computer that answers the agent's questions, and an agent that follows its collections. */
import type { Peer } from './scripted/network/network.ts';
import { document as metadataOf } from './showing.ts';
import type { Harness } from './harness.ts';

export type ResourceCollection = 'desktop' | 'finder';
export type Ack = (...args: unknown[]) => void;
export interface Question {
  readonly req_id: string;
  readonly offset?: number;
  readonly limit?: number;
}
/** Produces the n-th answer of the computer `c1`; a question without one is never answered. */
export type Answer = (question: Question, ack: Ack) => void;
export const never: Answer = () => {};
export const both: readonly ResourceCollection[] = ['desktop', 'finder'];
const nameOf = (n: number): string => `dpe://h/${String(n).padStart(4, '0')}`;
export const document = (n: number): object => ({
  ...metadataOf(nameOf(n), '2026-01-01T00:00:00Z'),
  server: 's',
});
export const showing =
  (collection: ResourceCollection, count: number, more: object = {}): Answer =>
  ({ req_id, offset = 0, limit = 20 }, ack) => {
    const all = Array.from({ length: count }, (_, n) => n);
    const body =
      collection === 'desktop'
        ? { desktops: all.map((n) => `window://h/${n}\n\nshown`) }
        : { documents: all.slice(offset, offset + limit).map(document), total_count: count };
    ack({ ...body, ...more, req_id });
  };
export const refusing =
  (code: number): Answer =>
  (_, ack) =>
    ack({ error: { code, message: `no: ${code}` } });
export const event = { desktop: 'client:get_desktop', finder: 'client:get_finder' } as const;
export const update = (peer: Peer, collection: ResourceCollection, computer = 'c1'): void =>
  peer.say(`server:update_${collection}`, { computer });
export const follow = (s: Harness, collection: ResourceCollection): void =>
  s.order('agent', { type: 'agent.follow', collection });

export async function meet(
  s: Harness,
  collection: ResourceCollection,
  answers: readonly Answer[],
  isFollowed = false,
): Promise<Peer> {
  await s.office();
  let n = 0;
  const peer = s.peer('c1', {
    'client:get_tools': (body, ack) => ack({ tools: [], req_id: (body as Question).req_id }),
    [event[collection]]: (body, ack) => (answers[n++] ?? never)(body as Question, ack),
  });
  peer.join('computer', 'c1');
  await s.run(5);
  s.agent();
  if (isFollowed) follow(s, collection);
  await s.run(100);
  return peer;
}
export const questions = (peer: Peer, collection: ResourceCollection): Question[] =>
  peer.heard.filter((h) => h.event === event[collection]).map(({ body }) => body as Question);
export const heard = (s: Harness, collection?: ResourceCollection): unknown[] =>
  s
    .heard('agent', 'view.collectionChanged')
    .filter((news) => collection === undefined || news.collection === collection)
    .map(({ failure, value }) => failure?.message ?? (value.desktops ?? value.documents).length);
