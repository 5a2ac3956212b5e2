/** Messages and rules of the skills machine: names of skills, answers to questions, and failures. */
import { contentHash } from '../catalog/changes.ts';
import { kindOf, type Address, type AddressFor } from '../kernel/address.ts';
import { post, type Post } from '../kernel/effects.ts';
import type { TimingOf } from '../kernel/timing.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import type { GetSkillReply, SkillRef } from '../protocol/messages/skills.ts';

/** Name of the port that lists the skill folders (`list`) and reads one file of a skill (`read`). */
export const skillsPort = 'skillFolders';

/** Result of `list`: the skills, and a sentence for each folder or file that is no skill. */
export interface SkillsListed {
  readonly skills: readonly SkillRef[];
  readonly refused: readonly string[];
}
/** Parameters of `read`. `path` is the folder of a listed skill. */
export interface SkillRead {
  readonly path: string;
  readonly relPath: string;
}
/** Reason why a file of a skill is not given, a word of the protocol. */
export type SkillRefusal = 'traversal' | 'forbidden' | 'not_found' | 'too_large';
/** Result of `read`: the text with its facts, or the reason why there is none. */
export type SkillFileRead =
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly mimeType: string;
      readonly bytes: number;
      readonly sha256: string;
    }
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
  'name' | 'rel_path' | 'mime_type' | 'total_size' | 'sha256' | 'body' | 'blob_handle'
>;
export interface SkillShown {
  readonly type: 'skill.shown';
  readonly ticket: string;
  readonly reqId: string;
  readonly file: SkillFile | null;
  readonly failure: Failure | null;
}
export type SkillsOrder =
  | SkillsWanted
  | SkillWanted
  /** The folders may have other content, so they are read again. */
  | { readonly type: 'skills.look' }
  /** The time of a question for a file is over. */
  | { readonly type: 'skill.overdue'; readonly ticket: string }
  | { readonly type: 'close' };
export const skillsKind = kindOf<SkillsStart, SkillsOrder>('skills');
/** News of the skills machine for its computer. */
export type SkillsNews =
  | { readonly type: 'skills.changed'; readonly signature: string }
  /** Sentence about a folder or file that is no skill; reported once. */
  | { readonly type: 'skills.noticed'; readonly text: string };
export type SkillsInput = SkillsStart & { readonly self: Address; readonly owner: AddressFor<SkillsNews> };
export interface SkillsContext extends SkillsInput {
  readonly skills: readonly SkillRef[];
  readonly signature: string;
  /** Reason why the folders could not be read the last time. */
  readonly failure: Failure | null;
  /** Sentences that were reported. */
  readonly noticed: readonly string[];
  /** Questions that wait for the first list, or for the one being read. */
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

// ── answers ───────────────────────────────────────────────────────────────────────────────────────────
export const entryFile = 'SKILL.md';
const invalidName = (name: string): Failure => ({
  code: wireCodes.skillNameInvalid,
  message: `'${name}' is not the name of a skill`,
  details: { name },
  remedy: 'Take a name from the list of skills',
});
const unknownSkill = (name: string): Failure => ({
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
  remedy: 'Look at the disk of the folders, and ask again',
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
/** Answers the question for the list. */
export const listAnswer = (c: SkillsContext, wanted: SkillsWanted): Post =>
  shown(wanted, c.skills, c.failure);

const skillOf = ({ skills }: SkillsContext, name: string): SkillRef | undefined =>
  skills.find((skill) => skill.name === name);
/** Returns the refusal of a question for a file whose name is wrong; undefined when the file can be read. */
export function whyNotRead(c: SkillsContext, { name }: SkillWanted): Failure | undefined {
  if (!isSkillName(name)) return invalidName(name);
  return skillOf(c, name) ? undefined : unknownSkill(name);
}
const pathIn = ({ relPath }: SkillWanted): string => relPath || entryFile;
export const readParams = (c: SkillsContext, wanted: SkillWanted): SkillRead => ({
  path: skillOf(c, wanted.name)?.path ?? '',
  relPath: pathIn(wanted),
});
/** Answers the question for a file with the result of the port. */
export function fileAnswer(wanted: SkillWanted, read: SkillFileRead): Post {
  const relPath = pathIn(wanted);
  if (read.kind === 'refused')
    return shownFile(wanted, null, refusedFile(wanted.name, relPath, read.reason, read.bytes));
  const { mimeType: mime_type, bytes: total_size, sha256, text: body } = read;
  return shownFile(
    wanted,
    { name: wanted.name, rel_path: relPath, mime_type, total_size, sha256, body },
    null,
  );
}
/** Refuses a question whose file cannot be read, with the reason of the port. */
export const unreadFile = (wanted: SkillWanted, failure: Failure): Post => shownFile(wanted, null, failure);
