/** One machine is opened for each server that lists skills; they are joined with those of the folders. */
import {
  childOf,
  keyOf,
  type AddressFor,
  message,
  open,
  post,
  type Open,
  type OpenRefused,
  type OwnedEnded,
  type Post,
} from '../kernel/effects.ts';
import { timingOf } from '../kernel/timing.ts';
import { withoutKey } from '../protocol/json.ts';
import { entryOf, offerKind, type OfferKnown, type OfferOrder, type OfferStart } from './offer.rules.ts';
import {
  isSkillName,
  listAnswer,
  refused,
  unknownSkill,
  whyNotRead,
  type ServerOffer,
  type SkillsContext,
  type SkillsListed,
  type SkillsOffered,
  type SkillsWanted,
  type SkillWanted,
} from './skills.rules.ts';

const unknown: ServerOffer = { skills: [], refused: [], isSettled: false, isOpen: false, isRenewed: true };
const offerIn = ({ offers }: SkillsContext, server: string): ServerOffer | undefined =>
  Object.hasOwn(offers, server) ? offers[server] : undefined;
const machineOf = (c: SkillsContext, server: string): AddressFor<OfferOrder> =>
  childOf(c.self, offerKind, server);
const isUnsettled = ({ offers }: SkillsContext): boolean =>
  Object.values(offers).some(({ isSettled }) => !isSettled);

type Known = Pick<SkillsContext, 'folders' | 'offers'>;
export const skillsIn = ({ folders, offers }: Known): SkillsContext['skills'] => [
  ...folders.skills,
  ...Object.keys(offers)
    .toSorted()
    .flatMap((server) => offers[server]?.skills ?? []),
];
const refusedIn = ({ folders, offers }: Known): readonly string[] => [
  ...folders.refused,
  ...Object.values(offers).flatMap((offer) => offer.refused),
];
export function withKnown(
  c: SkillsContext,
  news: Partial<Known>,
): { readonly next: Partial<SkillsContext>; readonly notices: readonly Post[] } {
  const after = { folders: c.folders, offers: c.offers, ...news };
  const noticed = [...new Set(refusedIn(after))];
  const fresh = noticed.filter((text) => !c.noticed.includes(text));
  return {
    next: { ...news, skills: skillsIn(after), noticed },
    notices: fresh.map((text) => post(c.owner, { type: 'skills.noticed', text })),
  };
}
export const noFolders: SkillsListed = { skills: [], refused: [] };

interface Taken {
  readonly offers: SkillsContext['offers'];
  readonly opens: readonly Open[];
  readonly messages: readonly Post[];
}
const closed = (c: SkillsContext, server: string, was: ServerOffer | undefined): readonly Post[] =>
  was?.isOpen ? [post(machineOf(c, server), { type: 'close' }, { optional: true })] : [];
export function afterOffered(c: SkillsContext, news: SkillsOffered): Taken {
  const { server, offered, isAwaited } = news;
  const was = offerIn(c, server);
  const others = withoutKey(c.offers, server);
  if (isAwaited) {
    const waits = { ...(was ?? unknown), isSettled: false, isRenewed: true };
    return { offers: { ...others, [server]: waits }, opens: [], messages: [] };
  }
  if (offered === null || offered.roots.length + offered.refused.length === 0)
    return { offers: others, opens: [], messages: closed(c, server, was) };
  const offers = {
    ...others,
    [server]: { ...(was ?? unknown), isSettled: false, isOpen: true, isRenewed: false },
  };
  const uris = offered.roots.map(({ uri }) => entryOf(uri));
  const watch = news.isWatched
    ? [post(c.owner, { type: 'resources.watch', server, uris, by: 'skills' })]
    : [];
  if (was?.isOpen) {
    const { isRenewed } = was;
    const set = post(machineOf(c, server), { type: 'offer.set', offered, isRenewed }, { optional: true });
    return { offers, opens: [], messages: [...watch, set] };
  }
  const { bundle, session } = news;
  const start = { server, bundle, session, offered, timing: timingOf.offer(c.timing) };
  return { offers, opens: [open(offerKind, start, { key: server })], messages: watch };
}
export const afterKnown = (
  c: SkillsContext,
  { server, skills, refused: texts }: OfferKnown,
): Known['offers'] => {
  const was = offerIn(c, server);
  return was
    ? { ...c.offers, [server]: { ...was, skills, refused: texts, isSettled: !was.isRenewed } }
    : c.offers;
};
/** The next list of the server opens another machine. */
export function afterBroken(c: SkillsContext, { key, error = '', why }: OwnedEnded): Known['offers'] {
  const server = Object.keys(c.offers).find((each) => key === `${offerKind}:${keyOf(each)}`);
  if (server === undefined || why !== 'failed') return c.offers;
  return withoutMachine(c, server, `their machine failed: ${error}`);
}
/** The one before it is still ending. */
export const afterUnopened = (c: SkillsContext, { input }: OpenRefused): Known['offers'] =>
  withoutMachine(c, (input as OfferStart).server, 'those of its last session are still ending');
function withoutMachine(c: SkillsContext, server: string, why: string): Known['offers'] {
  const text = `Server '${server}': its skills are not shown, because ${why}`;
  return { ...c.offers, [server]: { ...unknown, refused: [text], isSettled: true } };
}
export const updateMessages = (c: SkillsContext, { server, uri }: { server: string; uri: string }): Post[] =>
  offerIn(c, server)?.isOpen
    ? [post(machineOf(c, server), { type: 'offer.updated', uri }, { optional: true })]
    : [];

interface Place {
  readonly server: string;
  readonly root: string;
}
function placeOf({ offers }: SkillsContext, name: string): Place | undefined {
  for (const [server, { skills }] of Object.entries(offers)) {
    const found = skills.find((skill) => skill.name === name);
    if (found) return { server, root: found.uri };
  }
  return undefined;
}
/** False while a server may still bring what is asked for. */
export const isKnown = (c: SkillsContext, wanted: SkillsWanted | SkillWanted): boolean => {
  if (!isUnsettled(c)) return true;
  if (wanted.type === 'skills.wanted') return false;
  return !isSkillName(wanted.name) || c.skills.some((skill) => skill.name === wanted.name);
};
/** Undefined for a file of the folders, which is read first. */
export function answerOf(c: SkillsContext, wanted: SkillsWanted | SkillWanted): Post | undefined {
  if (wanted.type === 'skills.wanted') return listAnswer(c, wanted);
  const { ticket, reqId, name, replyTo } = wanted;
  const why = whyNotRead(c, wanted);
  if (why) return refused(wanted, why);
  const place = placeOf(c, name);
  if (!place) return undefined;
  const { server, root } = place;
  const gone = { type: 'skill.shown', ticket, reqId, file: null, failure: unknownSkill(name) } as const;
  return post(
    machineOf(c, server),
    { type: 'offer.read', root, wanted },
    { onUndelivered: message(replyTo, gone) },
  );
}
