/** Replacement of large contents in a result by handles, for agents that know handles. */
import { isObject } from '../protocol/json.ts';
import type { RequestPort } from '../kernel/ports.ts';
import { listRoomReply } from '../protocol/messages/messages.ts';
import { events } from '../protocol/protocol.ts';
import { readAnswer } from '../protocol/reading.ts';
import { largeContents, readerOf, withHandle, type Binary, type BlobFacts } from './blobs.rules.ts';

export interface HandRequest {
  readonly result: unknown;
  readonly agent: string;
  readonly asker: string;
}
/** Calls back once: with the new items, or with null when nothing is replaced. */
export type Hand = (
  from: string,
  request: HandRequest,
  done: (content: readonly unknown[] | null) => void,
) => void;
export interface HandOptions {
  readonly contextOf: (address: string) => unknown;
  readonly ask: RequestPort;
  readonly keep: (content: Binary, reader: string, done: (facts: BlobFacts | undefined) => void) => void;
}
type Seat = { readonly url: string; readonly office: string; readonly name: string };
const isSeat = (value: unknown): value is Seat => isObject(value) && typeof value['office'] === 'string';

/** Agents of 0.1, which know no handles, have no protocol version. */
function isKnowing(ack: unknown, agent: string): boolean {
  const answer = readAnswer(ack);
  const room = listRoomReply.safeParse(answer.ok ? answer.body : null).data;
  return (
    room?.sessions.some(
      ({ role, name, a2c_version: version }) => role === 'agent' && name === agent && version,
    ) === true
  );
}

/** Asks the office each time until a version is known. A content that cannot be kept stays in the result. */
export function handing({ contextOf, ask, keep }: HandOptions): Hand {
  const knowing = new Set<string>();
  const kept = (
    result: unknown,
    reader: string,
    done: (content: readonly unknown[] | null) => void,
  ): void => {
    const content = [...(result as { readonly content: readonly unknown[] }).content];
    const large = largeContents(result);
    let left = large.length;
    if (left === 0) return done(null);
    for (const one of large)
      keep(one, reader, (facts) => {
        if (facts) content[one.at] = withHandle(content[one.at], facts);
        if (--left === 0) done(content);
      });
  };
  return (from, { result, agent, asker }, done) => {
    const seat = contextOf(asker);
    if (!isSeat(seat)) return done(null);
    const reader = readerOf(seat, agent);
    if (knowing.has(reader)) return kept(result, reader, done);
    const params = { agent: seat.name, req_id: `version.${agent}`, office_id: seat.office };
    ask(from, { id: 'version', target: asker, method: events.listRoom, params }, (fact) => {
      if (fact.type === 'ask.refused') return done(null);
      if (fact.type !== 'ask.answered') return;
      if (!isKnowing(fact.result, agent)) return done(null);
      knowing.add(reader);
      kept(result, reader, done);
    });
  };
}
