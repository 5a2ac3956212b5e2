/** Answers of offices and computers read as lists, lenient towards older peers. */
import { z } from 'zod';
import { wireCodes, type Failure } from '../failure.ts';
import {
  dpeDocumentSummary,
  getConfigReply,
  getDesktopReply,
  getFinderReply,
  getResourcesReply,
  getToolsReply,
  readMissing,
  readResourceReply,
  type DPEDocumentSummary,
  type GetConfigReply,
  type GetResourcesReply,
  type Missing,
  type ReadResourceReply,
  type SmcpTool,
  getSkillReply,
  getSkillsReply,
  skillRef,
  type GetSkillReply,
  type SkillRef,
} from './collections.ts';
import {
  getBlobReply,
  heldBlobReply,
  type GetBlobReply,
  type HeldBlobReply,
  putBlobReply,
  type PutBlobReply,
} from './blobs.ts';
import { listRoomReply } from './messages.ts';
import { problemsIn } from './answers.ts';
import { readAnswer } from '../reading.ts';

/**
 * Readable reply, or the reason why there is none: the failure that the peer sent, or code 500 for an unreadable
 * answer.
 */
export type Read<T> =
  | { readonly ok: true; readonly body: T }
  | { readonly ok: false; readonly failure: Failure };
/** Member of a room. */
export interface RoomMember {
  /** Name that the member gives itself; unique among the computers of its room. */
  readonly name: string;
  /** Role of the member; a room has at most one agent. */
  readonly role: 'agent' | 'computer';
}

const unreadable = (message: string): Read<never> => ({
  ok: false,
  failure: { code: wireCodes.internal, message },
});

function readBody<T>(ack: unknown, schema: z.ZodType<T>): Read<T> {
  const answer = readAnswer(ack);
  if (!answer.ok) return answer;
  const parsed = schema.safeParse(answer.body);
  if (parsed.success) return { ok: true, body: parsed.data };
  return unreadable(`The peer's answer is not readable: ${problemsIn(parsed.error).join('; ')}`);
}

/** Another `req_id` means that it answers another question (R09). */
function readReply<T extends { req_id: string }>(ack: unknown, reqId: string, schema: z.ZodType<T>): Read<T> {
  const read = readBody(ack, schema);
  if (!read.ok || read.body.req_id === reqId) return read;
  return unreadable(`The answer is for '${read.body.req_id}', not for '${reqId}'`);
}

/** Reads the acknowledgement of `client:get_tools`: tools, and servers whose tools are missing. */
export function readTools(
  ack: unknown,
  reqId: string,
): Read<{ readonly tools: readonly SmcpTool[]; readonly missing: readonly Missing[] }> {
  const read = readReply(ack, reqId, getToolsReply);
  if (!read.ok) return read;
  const { tools, missing } = read.body;
  return { ok: true, body: { tools: tools as readonly SmcpTool[], missing: readMissing(missing) } };
}

/** Reads the acknowledgement of `server:list_room`. */
export function readRoom(ack: unknown, reqId: string): Read<readonly RoomMember[]> {
  const read = readReply(ack, reqId, listRoomReply);
  return read.ok ? { ok: true, body: read.body.sessions } : read;
}

/** Reads the acknowledgement of `client:get_config`, which repeats no `req_id`. */
export const readConfig = (ack: unknown): Read<GetConfigReply> => readBody(ack, getConfigReply);

/** Reads the acknowledgement of `client:get_resources`. */
export const readResources = (ack: unknown, reqId: string): Read<GetResourcesReply> =>
  readReply(ack, reqId, getResourcesReply);

const mostNamed = 20;
const textAt = (entry: unknown, key: string): string | undefined => {
  const value = (entry as Readonly<Record<string, unknown>> | null | undefined)?.[key];
  return typeof value === 'string' ? value : undefined;
};
const unnamed = '(not named)';
function entriesOf<T>(
  key: string,
  entries: readonly unknown[],
  schema: z.ZodType<T>,
): { readonly good: readonly T[]; readonly bad: readonly Missing[] } {
  const [good, bad]: [T[], Missing[]] = [[], []];
  for (const [at, entry] of entries.entries()) {
    const read = schema.safeParse(entry);
    if (read.success) {
      good.push(read.data);
      continue;
    }
    const uri = textAt(entry, 'uri');
    bad.push({
      server: textAt(entry, 'server') ?? unnamed,
      reason: `${key}.${at} of its answer is not readable: ${problemsIn(read.error).join('; ')}`,
      ...(uri !== undefined && { uri }),
    });
  }
  const more = bad.length - mostNamed;
  const rest = { server: unnamed, reason: `${more} more entries of its answer are not readable` };
  return { good, bad: more > 0 ? [...bad.slice(0, mostNamed), rest] : bad };
}

/** Readable part of a reply to `client:get_desktop`. */
export interface DesktopRead {
  /** Windows in order; each is one text: its URI, an empty line, its content. */
  readonly desktops: readonly string[];
  /** Parts that the computer reports as missing, and entries that are unreadable. */
  readonly missing: readonly Missing[];
}
const lenientDesktop = getDesktopReply.extend({
  desktops: z.array(z.unknown()),
  missing: z.unknown().optional(),
});
/** Reads the acknowledgement of `client:get_desktop`. */
export function readDesktop(ack: unknown, reqId: string): Read<DesktopRead> {
  const read = readReply(ack, reqId, lenientDesktop);
  if (!read.ok) return read;
  const { good, bad } = entriesOf('desktops', read.body.desktops, z.string());
  return { ok: true, body: { desktops: good, missing: [...readMissing(read.body.missing), ...bad] } };
}

/** Readable part of a reply to `client:get_finder`. */
export interface FinderRead {
  /** Readable documents, in order. */
  readonly documents: readonly DPEDocumentSummary[];
  /** Number of documents that match the query, before paging. */
  readonly total_count: number;
  /** Parts that the computer reports as missing, and entries that are unreadable. */
  readonly missing: readonly Missing[];
  /** All entries as they came, readable or not, because the next page starts after them. */
  readonly entries: readonly unknown[];
}
const lenientFinder = getFinderReply.extend({
  documents: z.array(z.unknown()),
  missing: z.unknown().optional(),
});
/** Reads the acknowledgement of `client:get_finder`. */
export function readFinder(ack: unknown, reqId: string): Read<FinderRead> {
  const read = readReply(ack, reqId, lenientFinder);
  if (!read.ok) return read;
  const { documents: entries, total_count, missing } = read.body;
  const { good, bad } = entriesOf('documents', entries, dpeDocumentSummary);
  return {
    ok: true,
    body: { documents: good, total_count, missing: [...readMissing(missing), ...bad], entries },
  };
}

/** Reads the acknowledgement of `client:read_resource`. */
export const readContents = (ack: unknown, reqId: string): Read<ReadResourceReply> =>
  readReply(ack, reqId, readResourceReply);

/** Readable skills of a computer, and the entries that are unreadable. */
export interface SkillsRead {
  /** Readable skills, in the order of the computer. */
  readonly skills: readonly SkillRef[];
  /** Entries of the answer that are unreadable. */
  readonly missing: readonly Missing[];
}
const lenientSkills = getSkillsReply.extend({ skills: z.array(z.unknown()) });
/** Reads the acknowledgement of `client:get_skills`. */
export function readSkills(ack: unknown, reqId: string): Read<SkillsRead> {
  const read = readReply(ack, reqId, lenientSkills);
  if (!read.ok) return read;
  const { good, bad } = entriesOf('skills', read.body.skills, skillRef);
  return { ok: true, body: { skills: good, missing: bad } };
}
/** Reads the acknowledgement of `client:get_skill`. */
export const readSkill = (ack: unknown, reqId: string): Read<GetSkillReply> =>
  readReply(ack, reqId, getSkillReply);
/** Reads the acknowledgement of `client:put_blob`. */
export const readPut = (ack: unknown, reqId: string): Read<PutBlobReply> =>
  readReply(ack, reqId, putBlobReply);
/** Reads the acknowledgement of `client:get_blob`. */
export const readBlobPart = (ack: unknown, reqId: string): Read<GetBlobReply> =>
  readReply(ack, reqId, getBlobReply);
/** Its `blob` is a number of bytes, because its connection keeps the bytes. */
export const readHeldBlob = (ack: unknown, reqId: string): Read<HeldBlobReply> =>
  readReply(ack, reqId, heldBlobReply);
