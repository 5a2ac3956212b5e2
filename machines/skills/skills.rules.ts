/** Messages and rules of the skills machine: names of skills, answers to questions, and failures. */
import { contentHash } from '../catalog/entries.ts';
import type { BlobFacts } from '../blobs/blobs.rules.ts';
import { kindOf, type Address, type AddressFor, post, type Post } from '../kernel/effects.ts';
import type { TimingOf } from '../kernel/timing.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import type { GetSkillReply, SkillRef } from '../protocol/messages/collections.ts';

/**
 * Name of the port that lists the skill folders (`list`) and reads one file of a skill (`read`). The port also checks
 * contents that a server gives: the `SKILL.md` of a skill (`entry`) and another file (`file`).
 */
export const skillsPort = 'skillFolders';

/**
 * Result of the method `list` of the port `skillFolders`: the skills, and a sentence for each folder or file that is no
 * skill.
 */
export interface SkillsListed {
  readonly skills: readonly SkillRef[];
  readonly refused: readonly string[];
}
/** Parameters of the method `read` of the port `skillFolders`. `path` is the folder of a listed skill. */
export interface SkillRead {
  readonly path: string;
  readonly relPath: string;
  /** Agent that may read the file in parts when it is no text or too large for an answer; absent when none may. */
  readonly reader?: string;
}
/** Reason why a file of a skill is not given, as a word of the protocol. */
export type SkillRefusal = 'traversal' | 'forbidden' | 'not_found' | 'too_large';
/** Result of the method `read` of the port `skillFolders`: the text with its facts, or the reason why there is none. */
export type SkillFileRead =
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly mimeType: string;
      readonly bytes: number;
      readonly sha256: string;
      /** Paths of the other files of the skill, given with `SKILL.md`; absent when they are longer than `mostPaths` together. */
      readonly files?: readonly string[];
    }
  | (BlobFacts & { readonly kind: 'blob' })
  | { readonly kind: 'refused'; readonly reason: SkillRefusal; readonly bytes?: number };

export interface SkillsStart {
  readonly timing: TimingOf<'skills'>;
}
/** Question for all skills. */
export interface SkillsWanted {
  readonly type: 'skills.wanted';
  readonly ticket: string;
  readonly reqId: string;
  readonly replyTo: AddressFor<SkillsShown>;
}
/** Question for one file of a skill; `SKILL.md` by default. */
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
/** Skill in the list of its server: the URI of its root, and its version, in any format. */
export interface OfferedSkill {
  readonly uri: string;
  readonly version?: string;
}
/** Skills of a server: their roots, the URIs of all of its skill files, and a sentence for each root that is left out. */
export interface Offered {
  readonly roots: readonly OfferedSkill[];
  readonly uris: readonly string[];
  readonly refused: readonly string[];
}

/** Skill of a server as agents see it; `uri` is its root. */
export type OfferedRef = SkillRef & { readonly uri: string };
/** Skills in the list of a server of this computer. */
export interface SkillsOffered {
  readonly type: 'skills.offered';
  readonly server: string;
  /** Bundle id of the server, the middle part of the names of its skills. */
  readonly bundle: string;
  /** Address of the actor that holds the MCP session of the server; requests to the server are sent there. */
  readonly session: Address;
  /** Skills that the server lists; null when it is gone, or when its list is awaited. */
  readonly offered: Offered | null;
  /** True when a session has begun whose list has not come yet. */
  readonly isAwaited: boolean;
  /** Tells whether the server announces changes of a resource. */
  readonly isWatched: boolean;
}
export type SkillsOrder =
  | SkillsWanted
  | SkillWanted
  | SkillsOffered
  | { readonly type: 'resource.updated'; readonly server: string; readonly uri: string }
  /** The folders may have other content, so they are read again. */
  | { readonly type: 'skills.look' }
  /** Time limit of a question has passed. */
  | { readonly type: 'skill.overdue'; readonly ticket: string }
  | { readonly type: 'close' };
export const skillsKind = kindOf<SkillsStart, SkillsOrder>('skills');
/** News of the skills machine for its computer. */
export type SkillsNews =
  | { readonly type: 'skills.changed'; readonly signature: string }
  /** Sentence about a folder, file or resource that is no skill; reported once. */
  | { readonly type: 'skills.noticed'; readonly text: string }
  /** Order to watch the `SKILL.md` files that a server lists, so that the machine of the skills is told of changes. */
  | {
      readonly type: 'resources.watch';
      readonly server: string;
      readonly uris: readonly string[];
      readonly by: 'skills';
    };
export type SkillsInput = SkillsStart & { readonly self: Address; readonly owner: AddressFor<SkillsNews> };
/** Skills of one server, as far as they are known. */
export interface ServerOffer {
  readonly skills: readonly OfferedRef[];
  readonly refused: readonly string[];
  /** False while the list of the server or one of its `SKILL.md` files is awaited; questions wait for them. */
  readonly isSettled: boolean;
  /** Tells whether the machine of this server's skills is open; a server without skills has none. */
  readonly isOpen: boolean;
  /** True when the server has a new session since its last list, so each `SKILL.md` is read again. */
  readonly isRenewed: boolean;
}
export interface SkillsContext extends SkillsInput {
  /** Skills of the folders, and a sentence for each folder or file that is no skill. */
  readonly folders: SkillsListed;
  /** Skills of servers that list some, or whose list is awaited. */
  readonly offers: Readonly<Record<string, ServerOffer>>;
  /** All skills: those of the folders first. */
  readonly skills: readonly SkillRef[];
  /** Signature of the skills that were announced last. */
  readonly signature: string;
  /** Reason why the folders could not be read the last time. */
  readonly failure: Failure | null;
  /** Sentences that were reported to the host, so that each is reported once. */
  readonly noticed: readonly string[];
  /** Questions that wait for the folders to be read, or for the skills of a server. */
  readonly waiting: readonly (SkillsWanted | SkillWanted)[];
  /** Questions whose file is being read, by the id of the request. */
  readonly reading: Readonly<Record<string, SkillWanted>>;
}

export const signatureOf = (skills: readonly SkillRef[]): string =>
  skills.length === 0 ? '' : contentHash(skills);

// ── names ─────────────────────────────────────────────────────────────────────────────────────────────
const kebab = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;
const bundle = /^(?!.*__)[A-Za-z0-9_-]+$/;
/** Tells whether a text is the name of a folder of a skill: lower-case words with single hyphens, at most 64. */
export const isSkillFolder = (name: string): boolean => kebab.test(name);
/** Tells whether a name has the form of a skill: `skill`, `plugin:skill` or `mcp:BUNDLE:skill`. */
export function isSkillName(name: string): boolean {
  const parts = name.split(':');
  if (parts.length <= 2) return parts.every(isSkillFolder);
  const [head = '', server = '', skill = ''] = parts;
  return parts.length === 3 && head === 'mcp' && bundle.test(server) && isSkillFolder(skill);
}

// ── paths ─────────────────────────────────────────────────────────────────────────────────────────────
/** Names of files with secrets, which are not given, whether they exist or not. */
const secretFile = /^\.(?:skillenv|env)(?:\..*)?$/i;
export const isSecretPath = (parts: readonly string[]): boolean =>
  parts.some((part) => secretFile.test(part));
/**
 * Returns the refusal of a path by its text alone. No disk or server is asked, so the refusal does not tell which files
 * exist.
 */
export function wrongPath(relPath: string): SkillRefusal | undefined {
  const parts = relPath.split('/');
  if (/[\\:\0]/.test(relPath) || relPath.startsWith('/') || parts.includes('..')) return 'traversal';
  return isSecretPath(parts) ? 'forbidden' : undefined;
}

// ── answers ───────────────────────────────────────────────────────────────────────────────────────────
export const entryFile = 'SKILL.md';
/** Largest length of the paths of all files of one skill together; more are not listed. */
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
  code: wireCodes.timeout,
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
/** Answers a question for the list of skills. */
export const listAnswer = (c: SkillsContext, wanted: SkillsWanted): Post =>
  shown(wanted, c.skills, c.failure);

const skillOf = ({ skills }: SkillsContext, name: string): SkillRef | undefined =>
  skills.find((skill) => skill.name === name);
/** Returns the refusal of a question for a file whose name is wrong; undefined when the file can be read. */
export function whyNotRead(c: SkillsContext, { name }: SkillWanted): Failure | undefined {
  if (!isSkillName(name)) return invalidName(name);
  return skillOf(c, name) ? undefined : unknownSkill(name);
}
export const pathIn = ({ relPath }: SkillWanted): string => relPath || entryFile;
/** Answers a question whose time limit has passed with what is known. */
export const lateAnswer = (c: SkillsContext, wanted: SkillsWanted | SkillWanted): Post =>
  wanted.type === 'skills.wanted'
    ? listAnswer(c, wanted)
    : shownFile(wanted, null, whyNotRead(c, wanted) ?? slowRead('The file'));
export const readParams = (c: SkillsContext, wanted: SkillWanted): SkillRead => ({
  path: skillOf(c, wanted.name)?.path ?? '',
  relPath: pathIn(wanted),
  ...(wanted.reader !== undefined && { reader: wanted.reader }),
});
/** Answers a question for a file with what the port has read. */
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
/** Refuses a question whose file cannot be read, with the reason of the port. */
export const unreadFile = (wanted: SkillWanted, failure: Failure): Post => shownFile(wanted, null, failure);
