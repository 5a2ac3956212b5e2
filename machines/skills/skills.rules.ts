/** Rules of the skills of a computer: where they come from, who may read them. */
import { contentHash } from '../catalog/changes.ts';
import type { BlobFacts } from '../blobs/blobs.rules.ts';
import { kindOf, type Address, type AddressFor, post, type Post } from '../kernel/effects.ts';
import type { TimingOf } from '../kernel/timing.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import type { GetSkillReply, SkillRef } from '../protocol/messages/collections.ts';

/** Lists folders (`list`), reads a file (`read`), and checks `SKILL.md` (`entry`) and files (`file`) of a server. */

/** Of `list`; with a sentence for each folder or file that is no skill. */
export interface SkillsListed {
  readonly skills: readonly SkillRef[];
  readonly refused: readonly string[];
}
/** For `read`; `path` is the folder of a listed skill. */
export interface SkillRead {
  readonly path: string;
  readonly relPath: string;
  readonly reader?: string;
}
export type SkillRefusal = 'traversal' | 'forbidden' | 'not_found' | 'too_large';
export type SkillFileRead =
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly mimeType: string;
      readonly bytes: number;
      readonly sha256: string;
      /** Given with `SKILL.md`; absent when they are longer than `mostPaths` together. */
      readonly files?: readonly string[];
    }
  | (BlobFacts & { readonly kind: 'blob' })
  | { readonly kind: 'refused'; readonly reason: SkillRefusal; readonly bytes?: number };

export interface SkillsStart {
  readonly timing: TimingOf<'skills'>;
}
export interface SkillsWanted {
  readonly type: 'skills.wanted';
  readonly ticket: string;
  readonly reqId: string;
  readonly replyTo: AddressFor<SkillsShown>;
}
/** `SKILL.md` by default. */
export interface SkillWanted {
  readonly type: 'skill.wanted';
  readonly ticket: string;
  readonly reqId: string;
  readonly name: string;
  readonly relPath?: string;
  readonly reader?: string;
  readonly replyTo: AddressFor<SkillShown>;
}
export interface SkillsShown {
  readonly type: 'skills.shown';
  readonly ticket: string;
  readonly reqId: string;
  readonly skills: readonly SkillRef[];
  readonly failure: Failure | null;
}
/** File of a skill in the fields of the wire, without `req_id`. */
export type SkillFile = Pick<
  GetSkillReply,
  'name' | 'rel_path' | 'mime_type' | 'total_size' | 'sha256' | 'body' | 'blob_handle' | 'a2c_files'
>;
export interface SkillShown {
  readonly type: 'skill.shown';
  readonly ticket: string;
  readonly reqId: string;
  readonly file: SkillFile | null;
  readonly failure: Failure | null;
}
/** The URI of its root, and its version, in any format. */
export interface OfferedSkill {
  readonly uri: string;
  readonly version?: string;
}
/** With a sentence for each root that is left out. */
export interface Offered {
  readonly roots: readonly OfferedSkill[];
  readonly uris: readonly string[];
  readonly refused: readonly string[];
}

export type OfferedRef = SkillRef & { readonly uri: string };
export interface SkillsOffered {
  readonly type: 'skills.offered';
  readonly server: string;
  readonly bundle: string;
  readonly session: Address;
  /** Null when the server is gone, or when its list is awaited. */
  readonly offered: Offered | null;
  /** A session has begun whose list has not come yet. */
  readonly isAwaited: boolean;
  readonly isWatched: boolean;
}
export type SkillsOrder =
  | SkillsWanted
  | SkillWanted
  | SkillsOffered
  | { readonly type: 'resource.updated'; readonly server: string; readonly uri: string }
  | { readonly type: 'skills.look' }
  | { readonly type: 'skill.overdue'; readonly ticket: string }
  | { readonly type: 'close' };
export const skillsKind = kindOf<SkillsStart, SkillsOrder>('skills');
export type SkillsNews =
  | { readonly type: 'skills.changed'; readonly signature: string }
  /** About a folder, file or resource that is no skill; reported once. */
  | { readonly type: 'skills.noticed'; readonly text: string }
  | {
      readonly type: 'resources.watch';
      readonly server: string;
      readonly uris: readonly string[];
      readonly by: 'skills';
    };
export type SkillsInput = SkillsStart & { readonly self: Address; readonly owner: AddressFor<SkillsNews> };
export interface ServerOffer {
  readonly skills: readonly OfferedRef[];
  readonly refused: readonly string[];
  /** False while the list or a `SKILL.md` of the server is awaited; questions wait for them. */
  readonly isSettled: boolean;
  /** A server without skills has no machine. */
  readonly isOpen: boolean;
  /** New session since the last list, so each `SKILL.md` is read again. */
  readonly isRenewed: boolean;
}
export interface SkillsContext extends SkillsInput {
  readonly folders: SkillsListed;
  readonly offers: Readonly<Record<string, ServerOffer>>;
  /** Those of the folders first. */
  readonly skills: readonly SkillRef[];
  readonly signature: string;
  readonly failure: Failure | null;
  readonly noticed: readonly string[];
  readonly waiting: readonly (SkillsWanted | SkillWanted)[];
  readonly reading: Readonly<Record<string, SkillWanted>>;
}

export const signatureOf = (skills: readonly SkillRef[]): string =>
  skills.length === 0 ? '' : contentHash(skills);

const kebab = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;
const bundle = /^(?!.*__)[A-Za-z0-9_-]+$/;
/** Lower-case words with single hyphens, at most 64 characters. */
export const isSkillFolder = (name: string): boolean => kebab.test(name);
/** `skill`, `plugin:skill` or `mcp:BUNDLE:skill`. */
export function isSkillName(name: string): boolean {
  const parts = name.split(':');
  if (parts.length <= 2) return parts.every(isSkillFolder);
  const [head = '', server = '', skill = ''] = parts;
  return parts.length === 3 && head === 'mcp' && bundle.test(server) && isSkillFolder(skill);
}

/** Not given, whether they exist or not. */
const secretFile = /^\.(?:skillenv|env)(?:\..*)?$/i;
export const isSecretPath = (parts: readonly string[]): boolean =>
  parts.some((part) => secretFile.test(part));
/** No disk or server is asked, so the refusal does not tell which files exist. */
export function wrongPath(relPath: string): SkillRefusal | undefined {
  const parts = relPath.split('/');
  if (/[\\:\0]/.test(relPath) || relPath.startsWith('/') || parts.includes('..')) return 'traversal';
  return isSecretPath(parts) ? 'forbidden' : undefined;
}

export const entryFile = 'SKILL.md';
export const mostPaths = 64 * 1024;
export const invalidName = (name: string): Failure => ({
  code: wireCodes.skillNameInvalid,
  message: `'${name}' is not the name of a skill`,
  details: { name },
  remedy: 'Take a name from the list of skills',
});
export const unknownSkill = (name: string): Failure => ({
  code: wireCodes.serverNotFound,
  message: `This computer has no skill '${name}'`,
  details: { name },
  remedy: 'Take a name from the list of skills',
});
const refusals: Readonly<Record<SkillRefusal, string>> = {
  traversal: 'is outside of the skill',
  forbidden: 'is not shared',
  not_found: 'does not exist in the skill',
  too_large: 'is too large, or is no text',
};
const refusedFile = (name: string, relPath: string, reason: SkillRefusal, bytes?: number): Failure => ({
  code: wireCodes.skillFileNotAccessible,
  message: `'${relPath}' of skill '${name}' ${refusals[reason]}`,
  details: { reason, name, rel_path: relPath, ...(bytes !== undefined && { total_size: bytes }) },
});
export const slowRead = (what: string): Failure => ({
  code: wireCodes.noAnswer,
  message: `${what} could not be read in time`,
  remedy: 'Look at the disk of the folders, or at the server of the skill, and ask again',
});
export const closingFailure: Failure = {
  code: wireCodes.internal,
  message: 'The computer shows its skills no more: it is closing, or what keeps them has failed too often',
};

const shown = (
  { ticket, reqId, replyTo }: SkillsWanted,
  skills: readonly SkillRef[],
  failure: Failure | null,
): Post => post(replyTo, { type: 'skills.shown', ticket, reqId, skills, failure }, { optional: true });
const shownFile = (
  { ticket, reqId, replyTo }: SkillWanted,
  file: SkillFile | null,
  failure: Failure | null,
): Post => post(replyTo, { type: 'skill.shown', ticket, reqId, file, failure }, { optional: true });
export const refused = (wanted: SkillsWanted | SkillWanted, failure: Failure): Post =>
  wanted.type === 'skills.wanted' ? shown(wanted, [], failure) : shownFile(wanted, null, failure);
export const listAnswer = (c: SkillsContext, wanted: SkillsWanted): Post =>
  shown(wanted, c.skills, c.failure);

const skillOf = ({ skills }: SkillsContext, name: string): SkillRef | undefined =>
  skills.find((skill) => skill.name === name);
export function whyNotRead(c: SkillsContext, { name }: SkillWanted): Failure | undefined {
  if (!isSkillName(name)) return invalidName(name);
  return skillOf(c, name) ? undefined : unknownSkill(name);
}
export const pathIn = ({ relPath }: SkillWanted): string => relPath || entryFile;
export const lateAnswer = (c: SkillsContext, wanted: SkillsWanted | SkillWanted): Post =>
  wanted.type === 'skills.wanted'
    ? listAnswer(c, wanted)
    : shownFile(wanted, null, whyNotRead(c, wanted) ?? slowRead('The file'));
export const readParams = (c: SkillsContext, wanted: SkillWanted): SkillRead => ({
  path: skillOf(c, wanted.name)?.path ?? '',
  relPath: pathIn(wanted),
  ...(wanted.reader !== undefined && { reader: wanted.reader }),
});
export function fileAnswer(wanted: SkillWanted, read: SkillFileRead): Post {
  const relPath = pathIn(wanted);
  if (read.kind === 'refused')
    return shownFile(wanted, null, refusedFile(wanted.name, relPath, read.reason, read.bytes));
  const { mimeType: mime_type, bytes: total_size } = read;
  const facts = { name: wanted.name, rel_path: relPath, mime_type, total_size };
  const held =
    read.kind === 'text'
      ? { sha256: read.sha256, body: read.text, ...(read.files && { a2c_files: [...read.files] }) }
      : { sha256: read.handle, blob_handle: read.handle };
  return shownFile(wanted, { ...facts, ...held }, null);
}
export const refusedRead = (wanted: SkillWanted, reason: SkillRefusal): Post =>
  fileAnswer(wanted, { kind: 'refused', reason });
export const unreadFile = (wanted: SkillWanted, failure: Failure): Post => shownFile(wanted, null, failure);
