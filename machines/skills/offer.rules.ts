/** Skills that one MCP server offers as `skill://` resources: their entries in its list, and the messages of their machine. */
import type { JsonObject } from '../catalog/entries.ts';
import { kindOf, type Address, type AddressFor, type Post } from '../kernel/effects.ts';
import type { TimingOf } from '../kernel/timing.ts';
import type { Contents } from '../resources/collections.ts';
import { decodePart } from '../resources/uri.ts';
import {
  entryFile,
  mostPaths,
  pathIn,
  refusedRead,
  wrongPath,
  type Offered,
  type OfferedRef,
  type OfferedSkill,
  type SkillFileRead,
  type SkillRefusal,
  type SkillWanted,
} from './skills.rules.ts';

interface Listed {
  readonly uri: string;
  readonly meta?: JsonObject;
}
const mostSkills = 500;
const isSkillUri = (uri: string): boolean => uri.startsWith('skill://');
const sourceOf = ({ meta }: Listed): unknown => meta?.['source'];
/** They mark the root of a skill. Only with `resources` does the server give the files itself. */
const sources: ReadonlySet<unknown> = new Set(['resources', 'mounted', 'archive']);
const isRoot = (resource: Listed): boolean => isSkillUri(resource.uri) && sources.has(sourceOf(resource));
export const hasSkillIn = (resources: readonly Listed[]): boolean => resources.some(isRoot);
const isUnder = (uri: string, root: string): boolean => uri.startsWith(`${root}/`);
export const entryOf = (root: string): string => `${root}/${entryFile}`;

const leftOut: Readonly<Record<string, string>> = {
  mounted: 'it names a folder of this computer, which a server may not share',
  archive: 'its files would be loaded from another place, and nothing is installed',
};
function whyLeftOut(resource: Listed, uris: ReadonlySet<string>): string | undefined {
  const source = String(sourceOf(resource));
  if (Object.hasOwn(leftOut, source)) return leftOut[source];
  return uris.has(entryOf(resource.uri)) ? undefined : `the server lists no ${entryFile} of it`;
}
const rootOf = ({ uri, meta }: Listed): OfferedSkill => {
  const version = meta?.['version'];
  return typeof version === 'string' || typeof version === 'number'
    ? { uri, version: String(version) }
    : { uri };
};
/** A root below another root counts as a file of that skill. */
export function offeredIn(server: string, resources: readonly Listed[]): Offered {
  const known = new Map(resources.map((resource) => [resource.uri, resource]));
  const all = [...known.values()].filter(({ uri }) => isSkillUri(uri));
  const uris = new Set(all.map(({ uri }) => uri));
  const candidates = all.filter(isRoot);
  const outer = candidates.filter(({ uri }) => !candidates.some((other) => isUnder(uri, other.uri)));
  const refused = outer.slice(0, mostSkills).flatMap((resource) => {
    const why = whyLeftOut(resource, uris);
    return why === undefined ? [] : [`Server '${server}': skill ${resource.uri} is left out: ${why}`];
  });
  const good = outer.filter((resource) => whyLeftOut(resource, uris) === undefined);
  const tooMany =
    outer.length > mostSkills ? [`Server '${server}' offers more than ${mostSkills} skills`] : [];
  return {
    roots: good.slice(0, mostSkills).map(rootOf),
    uris: [...uris],
    refused: [...refused, ...tooMany],
  };
}
export interface OfferStart {
  readonly server: string;
  /** Middle part of the names of its skills. */
  readonly bundle: string;
  readonly session: Address;
  readonly offered: Offered;
  readonly timing: TimingOf<'offer'>;
}
export interface OfferRead {
  readonly type: 'offer.read';
  readonly root: string;
  readonly wanted: SkillWanted;
}
export type OfferOrder =
  /** `isRenewed`: a session has begun since the last list, so each `SKILL.md` is read again. */
  | { readonly type: 'offer.set'; readonly offered: Offered; readonly isRenewed: boolean }
  | { readonly type: 'offer.updated'; readonly uri: string }
  | OfferRead
  | { readonly type: 'offer.overdue'; readonly ticket: string }
  | { readonly type: 'close' };
export const offerKind = kindOf<OfferStart, OfferOrder>('offer');
/** Sent once each `SKILL.md` was read or refused. */
export interface OfferKnown {
  readonly type: 'offer.known';
  readonly server: string;
  readonly skills: readonly OfferedRef[];
  readonly refused: readonly string[];
}
export type OfferInput = OfferStart & { readonly self: Address; readonly owner: AddressFor<OfferKnown> };

/** For `entry` of the port `skillFolders`. */
export interface SkillEntry {
  readonly server: string;
  readonly bundle: string;
  readonly uri: string;
  readonly version?: string;
  readonly contents: Contents;
}
export type SkillEntryRead = { readonly ref: OfferedRef } | { readonly refused: string };
/** For `file` of the port `skillFolders`. */
export interface SkillContents {
  readonly relPath: string;
  readonly contents: Contents;
  /** May read the file in parts when it is no text or too large for an answer; absent when none may. */
  readonly reader?: string;
}

export interface OfferContext extends OfferInput {
  /** By the URI of the skill's root; a skill without a result is still to be read. */
  readonly read: Readonly<Record<string, SkillEntryRead>>;
  readonly running: readonly OfferedSkill[];
  readonly files: Readonly<Record<string, OfferRead>>;
}
const mostRunning = 16;
const has = <T>(record: Readonly<Record<string, T>>, key: string): boolean => Object.hasOwn(record, key);
export const nextRoots = ({ offered, read, running }: OfferContext): readonly OfferedSkill[] => {
  const asked = new Set(running.map(({ uri }) => uri));
  return offered.roots
    .filter(({ uri }) => !has(read, uri) && !asked.has(uri))
    .slice(0, mostRunning - running.length);
};
export const afterSet = (
  c: OfferContext,
  { offered, isRenewed }: Extract<OfferOrder, { type: 'offer.set' }>,
): Partial<OfferContext> => {
  const same = (root: OfferedSkill): boolean =>
    !isRenewed && c.offered.roots.some(({ uri, version }) => uri === root.uri && version === root.version);
  const kept = offered.roots.filter((root) => same(root)).map(({ uri }) => uri);
  return {
    offered,
    running: [],
    read: Object.fromEntries(Object.entries(c.read).filter(([uri]) => kept.includes(uri))),
  };
};
export const rootOfEntry = ({ offered }: OfferContext, uri: string): OfferedSkill | undefined =>
  offered.roots.find((root) => entryOf(root.uri) === uri);
export const afterUpdate = (c: OfferContext, uri: string): Partial<OfferContext> => {
  const root = rootOfEntry(c, uri)?.uri;
  return {
    running: [],
    read: Object.fromEntries(Object.entries(c.read).filter(([each]) => each !== root)),
  };
};
export const withRead = (c: OfferContext, uri: string, result: SkillEntryRead): Partial<OfferContext> => ({
  running: c.running.filter((root) => root.uri !== uri),
  read: { ...c.read, [uri]: result },
});
export const unreadEntry = ({ server }: OfferContext, uri: string, why: string): SkillEntryRead => ({
  refused: `Server '${server}': skill ${uri} is left out: ${why}`,
});
export const afterLimit = (c: OfferContext): Partial<OfferContext> => ({
  running: [],
  read: Object.fromEntries(
    c.offered.roots.map(({ uri }) => [
      uri,
      c.read[uri] ?? unreadEntry(c, uri, `its ${entryFile} was not given in time`),
    ]),
  ),
});
/** Of two skills with one name only the first is kept. */
export function knownOf({ server, offered, read }: OfferContext): OfferKnown {
  const skills = new Map<string, OfferedRef>();
  const refused = [...offered.refused];
  for (const { uri } of offered.roots) {
    const result = read[uri];
    if (!result) continue;
    if ('refused' in result) refused.push(result.refused);
    else if (skills.has(result.ref.name))
      refused.push(`Server '${server}': skill ${uri} is left out: '${result.ref.name}' is known already`);
    else skills.set(result.ref.name, result.ref);
  }
  return { type: 'offer.known', server, skills: [...skills.values()], refused };
}
const decoded = (uri: string): string => decodePart(uri) ?? uri;
export function fileUri(c: OfferContext, { root, wanted }: OfferRead): { uri: string } | SkillRefusal {
  const relPath = pathIn(wanted);
  const wrong = wrongPath(relPath);
  if (wrong) return wrong;
  const plain = `${root}/${relPath}`;
  const { uris } = c.offered;
  const uri = uris.includes(plain)
    ? plain
    : uris.find((each) => isUnder(each, root) && decoded(each.slice(root.length + 1)) === relPath);
  return uri === undefined ? 'not_found' : { uri };
}
export const contentsParams = (wanted: SkillWanted, contents: Contents): SkillContents => ({
  relPath: pathIn(wanted),
  contents,
  ...(wanted.reader !== undefined && { reader: wanted.reader }),
});
/** Files with secrets are left out, and all paths when they are longer than `mostPaths`. */
export function withFiles(c: OfferContext, { root, wanted }: OfferRead, read: SkillFileRead): SkillFileRead {
  if (read.kind !== 'text' || pathIn(wanted) !== entryFile) return read;
  const under = c.offered.uris.filter((uri) => isUnder(uri, root));
  const paths = under.map((uri) => decoded(uri.slice(root.length + 1)));
  const files = [...new Set(paths)].filter((path) => path !== entryFile && wrongPath(path) === undefined);
  return files.join('').length > mostPaths ? read : { ...read, files: files.toSorted() };
}
export const refusedFile = ({ wanted }: OfferRead, reason: SkillRefusal): Post => refusedRead(wanted, reason);
