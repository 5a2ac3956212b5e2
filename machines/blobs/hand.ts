/** Replacement of large contents in a result by handles, for agents that know handles. */
import { isObject } from '../protocol/json.ts';
import type { Ports } from '../kernel/ports.ts';
import { listRoomReply } from '../protocol/messages/messages.ts';
import { events } from '../protocol/protocol.ts';
import { readAnswer } from '../protocol/reading.ts';
import { largeContents, readerOf, withHandle, type Binary, type BlobFacts } from './blobs.rules.ts';

export interface HandRequest {
  readonly result: unknown;
  readonly agent: string;
  /** Address of the link over which the agent asked. */
  readonly asker: string;
}
/**
 * Function that replaces the large contents of a result. It calls back once: with the new items, or with null when nothing
 * is replaced.
 */
export type Hand = (
  from: string,
  request: HandRequest,
  done: (content: readonly unknown[] | null) => void,
) => void;
export interface HandOptions {
  /** Returns the context of the machine at an address. */
  readonly contextOf: (address: string) => unknown;
  /** Asks an office over a link. */
  readonly ask: Ports['request'];
  /** Keeps a content for a reader; calls back with undefined when it cannot be kept. */
  readonly keep: (content: Binary, reader: string, done: (facts: BlobFacts | undefined) => void) => void;
}
type Seat = { readonly url: string; readonly office: string; readonly name: string };
const isSeat = (value: unknown): value is Seat => isObject(value) && typeof value['office'] === 'string';

/** Tells whether a list of members names a protocol version for this agent. Agents of 0.1, which know no handles, have none. */
function isKnowing(ack: unknown, agent: string): boolean {
  const answer = readAnswer(ack);
  const room = listRoomReply.safeParse(answer.ok ? answer.body : null).data;
  return (
    room?.sessions.some(
      ({ role, name, a2c_version: version }) => role === 'agent' && name === agent && version,
    ) === true
  );
}

/**
 * Returns a function that keeps the large contents of a result and puts handles in their place. It asks the office each
 * time whether the agent has a protocol version, until one is known. A content that cannot be kept stays in the result.
 */
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
