/** Rules of fetching one large content, part by part, from a computer. */
import {
  kindOf,
  type Address,
  type AddressFor,
  message,
  open,
  post,
  type Open,
  type Post,
} from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import type { TimingOf } from '../kernel/timing.ts';
import { isUnseated, wireCodes, type Failure } from '../protocol/failure.ts';
import type { HeldBlobReply } from '../protocol/messages/blobs.ts';
import { readHeldBlob, type Read } from '../protocol/messages/lists.ts';

export interface DownloadPart {
  readonly type: 'download.part';
  readonly ticket: string;
  readonly key: string;
  readonly offset: number;
  readonly totalBytes: number;
  readonly sha256: string;
  readonly mimeType: string;
  readonly isLast: boolean;
}
export interface DownloadEnded {
  readonly type: 'download.ended';
  readonly ticket: string;
  readonly end: 'read' | 'failed' | 'cancelled';
  readonly failure: Failure | null;
}
export type DownloadNews = DownloadPart | DownloadEnded;
export interface DownloadStart {
  readonly ticket: string;
  readonly computer: string;
  readonly handle: string;
  readonly agent: string;
  readonly link: Address;
  readonly mostTries: number;
  readonly replyTo: AddressFor<DownloadNews>;
  readonly timing: TimingOf<'download'>;
}
export type DownloadOrder =
  | { readonly type: 'part.taken' }
  | { readonly type: 'content.right' }
  | { readonly type: 'content.wrong'; readonly failure: Failure }
  | { readonly type: 'close' };
export const downloadKind = kindOf<DownloadStart, DownloadOrder>('download');
export type DownloadInput = DownloadStart & { readonly self: Address; readonly owner: Address };
export interface DownloadContext extends DownloadInput {
  readonly asked: readonly number[];
  /** Parts that came while an earlier one is still missing, by offset. */
  readonly held: Readonly<Record<number, HeldBlobReply>>;
  readonly next: number;
  readonly given: number;
  readonly untaken: number;
  /** Size in bytes of the parts into which the computer cuts the content; null until the first part came. */
  readonly partBytes: number | null;
  readonly facts: { readonly totalBytes: number; readonly sha256: string } | null;
  readonly tries: number;
  readonly failure: Failure | null;
}
export const noPartsYet = {
  asked: [],
  held: {},
  next: 0,
  given: 0,
  untaken: 0,
  partBytes: null,
  facts: null,
  tries: 0,
  failure: null,
} as const;

/** Largest number of parts that are requested or not yet read by the host; several, so that latency does not limit the speed. */
const mostParts = 4;

const idOf = (offset: number): string => `part.${offset}`;
const reqIdOf = ({ ticket }: DownloadContext, offset: number): string => `${ticket}.${offset}`;
const offsetIn = ({ id }: { readonly id: string }): number => Number(id.slice(id.indexOf('.') + 1));

export function offsetsToAsk(c: DownloadContext): readonly number[] {
  if (c.partBytes === null || c.facts === null) return c.asked.length === 0 ? [c.given] : [];
  const room = mostParts - c.asked.length - c.untaken - Object.keys(c.held).length;
  const offsets: number[] = [];
  for (let at = c.next; offsets.length < room && at < c.facts.totalBytes; at += c.partBytes) offsets.push(at);
  return offsets;
}
export const afterAsking = (c: DownloadContext): Partial<DownloadContext> => {
  const offsets = offsetsToAsk(c);
  const last = offsets.at(-1);
  const next = last === undefined || c.partBytes === null ? c.next : last + c.partBytes;
  return { asked: [...c.asked, ...offsets], next };
};
export const partRequest = (c: DownloadContext, offset: number) => ({
  id: idOf(offset),
  target: c.link,
  method: 'client:get_blob',
  params: {
    agent: c.agent,
    req_id: reqIdOf(c, offset),
    computer: c.computer,
    blob_handle: c.handle,
    chunk_offset: offset,
    blob_key: reqIdOf(c, offset),
  },
});
export const openIds = ({ asked }: DownloadContext): readonly string[] => asked.map(idOf);

const broken = (message: string): Read<never> => ({
  ok: false,
  failure: { code: wireCodes.internal, message, remedy: 'Make the call again, and read its new content' },
});
/** Failures that may pass: the way to the computer failed, or the computer is away or busy. */
const passing: ReadonlySet<Failure['code']> = new Set([
  'LinkLost',
  wireCodes.notFound,
  wireCodes.noAnswer,
  wireCodes.tooMany,
  wireCodes.unavailable,
]);
export const mayPass = (failure: Failure): boolean => passing.has(failure.code) || isUnseated(failure);

type Answer = Extract<RequestFact, { type: 'ask.answered' }>;
function partIn(c: DownloadContext, answer: Answer): Read<HeldBlobReply> {
  const offset = offsetIn(answer);
  const read = readHeldBlob(answer.result, reqIdOf(c, offset));
  if (!read.ok) return read;
  const { chunk_offset: at, total_size: total, sha256, blob: bytes, eof } = read.body;
  if (at !== offset) return broken('The computer sent another part than the one asked for');
  if (c.facts && (c.facts.totalBytes !== total || c.facts.sha256 !== sha256))
    return broken('The content was changed while it was read');
  if (eof !== (at + bytes === total) || (bytes === 0 && !eof))
    return broken('The computer sent a part that does not fit the size of the content');
  return read;
}
export const failureOf = (c: DownloadContext, answer: Answer): Failure | undefined => {
  const read = partIn(c, answer);
  return read.ok ? undefined : read.failure;
};

export function withPart(
  c: DownloadContext,
  answer: Answer,
): { readonly next: Partial<DownloadContext>; readonly parts: readonly HeldBlobReply[] } {
  const read = partIn(c, answer);
  if (!read.ok) return { next: {}, parts: [] };
  const came = read.body;
  const held: Record<number, HeldBlobReply> = { ...c.held, [came.chunk_offset]: came };
  const parts: HeldBlobReply[] = [];
  let given = c.given;
  for (let part = held[given]; part; part = held[given]) {
    delete held[given];
    parts.push(part);
    given += part.blob;
    if (part.eof) break;
  }
  const facts = c.facts ?? { totalBytes: came.total_size, sha256: came.sha256 };
  const asked = c.asked.filter((offset) => offset !== came.chunk_offset);
  const partBytes = c.partBytes ?? Math.max(1, came.blob);
  const all = { held, given, facts, asked, partBytes, next: Math.max(c.next, given), tries: 0 };
  return { next: { ...all, untaken: c.untaken + parts.length }, parts };
}
/** Tells whether the next part for the host was never asked for, because the computer sent a shorter part than usual. */
export const isAstray = (c: DownloadContext): boolean =>
  c.facts !== null &&
  c.given < c.facts.totalBytes &&
  c.given < c.next &&
  !c.asked.includes(c.given) &&
  !Object.hasOwn(c.held, c.given);
export const isWhole = ({ facts, given }: DownloadContext): boolean =>
  facts !== null && given >= facts.totalBytes;
export const restarted = (c: DownloadContext): Partial<DownloadContext> => ({
  asked: [],
  held: {},
  next: c.given,
  partBytes: null,
});
export const isPatient = ({ tries, mostTries }: DownloadContext): boolean => tries < mostTries;
export const gaveUp = ({ computer, failure }: DownloadContext): Failure =>
  failure ?? {
    code: wireCodes.noAnswer,
    message: `Computer '${computer}' sent no more parts of the content`,
    remedy: 'Make the call again when the computer is there',
  };

export const partsGiven = (c: DownloadContext, parts: readonly HeldBlobReply[]): Post[] =>
  parts.map(({ chunk_offset: offset, total_size: totalBytes, sha256, mime_type: mimeType, eof }) =>
    post(
      c.replyTo,
      {
        type: 'download.part',
        ticket: c.ticket,
        key: reqIdOf(c, offset),
        offset,
        totalBytes,
        sha256,
        mimeType,
        isLast: eof,
      },
      { optional: true },
    ),
  );
export const ended = (c: DownloadContext, end: DownloadEnded['end']): Post =>
  post(
    c.replyTo,
    { type: 'download.ended', ticket: c.ticket, end, failure: end === 'read' ? null : c.failure },
    { optional: true },
  );
const crashed: Failure = { code: 'Crashed', message: 'The machine of this download failed' };
export const downloadOpen = (start: DownloadStart): Open =>
  open(downloadKind, start, {
    key: start.ticket,
    lastWill: message(start.replyTo, {
      type: 'download.ended',
      ticket: start.ticket,
      end: 'failed',
      failure: crashed,
    }),
  });
