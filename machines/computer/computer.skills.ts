import {
  childOf,
  message,
  open,
  post,
  type CheckedMessage,
  type Open,
  type Post,
} from '../kernel/effects.ts';
import { timingOf } from '../kernel/timing.ts';
import { hasSkillIn, offeredIn } from '../skills/offer.rules.ts';
import {
  closingFailure,
  skillsKind,
  type SkillsNews,
  type SkillsOffered,
  type SkillsOrder,
  type SkillsWanted,
  type SkillWanted,
} from '../skills/skills.rules.ts';
import { bundleOf, type ComputerContext } from './computer.events.ts';
import { clientOf, linkOf, openedOnce } from './computer.rules.ts';

export const skillsOpen = (c: ComputerContext): Open =>
  open(skillsKind, { timing: timingOf.skills(c.timing) });
export const hasSkills = ({ opened }: ComputerContext): boolean => opened.includes('skills');
const skillsOf = (c: ComputerContext) => childOf(c.self, skillsKind);
export function offerMessage(c: ComputerContext, server: string): Post {
  const plan = c.servers.find(({ rules }) => rules.server === server);
  const isShown = plan !== undefined && Object.hasOwn(c.shows, server);
  const isAwaited = isShown && !Object.hasOwn(c.listed, server);
  const listed = isShown && !isAwaited ? (c.resources[server] ?? []) : null;
  const news: SkillsOffered = {
    type: 'skills.offered',
    server,
    bundle: plan ? bundleOf(plan) : server,
    session: clientOf(c, server),
    offered: listed && offeredIn(server, listed),
    isAwaited,
    isWatched: isShown && c.shows[server]?.subscribe === true,
  };
  return post(skillsOf(c), news, { optional: true });
}
export const offersOfAll = (c: ComputerContext): Post[] =>
  Object.keys(c.shows).map((server) => offerMessage(c, server));
export const openedSkills = (
  c: ComputerContext,
): ReturnType<typeof openedOnce> & { readonly messages: readonly Post[] } => ({
  ...openedOnce(c, 'skills', [skillsOpen(c)]),
  messages: hasSkills(c) ? [] : offersOfAll(c),
});
export const openedForList = (
  c: ComputerContext,
  server: string,
): ReturnType<typeof openedSkills> | undefined =>
  !hasSkills(c) && hasSkillIn(c.resources[server] ?? []) ? openedSkills(c) : undefined;
/** It may be a `SKILL.md`. */
export const updateOfSkill = (
  c: ComputerContext,
  { server, uri }: { readonly server: string; readonly uri: string },
): Post[] =>
  hasSkills(c) && uri.startsWith('skill://')
    ? [post(skillsOf(c), { type: 'resource.updated', server, uri }, { optional: true })]
    : [];

type Question = SkillsWanted | SkillWanted;
export function skillsRefusal(wanted: Question): CheckedMessage {
  const about = { ticket: wanted.ticket, reqId: wanted.reqId, failure: closingFailure };
  return wanted.type === 'skills.wanted'
    ? message(wanted.replyTo, { type: 'skills.shown', ...about, skills: [] })
    : message(wanted.replyTo, { type: 'skill.shown', ...about, file: null });
}
export const toSkills = (
  c: ComputerContext,
  event: Extract<SkillsOrder, Question | { type: 'skills.look' }>,
): Post =>
  event.type === 'skills.look'
    ? post(skillsOf(c), event, { optional: true })
    : post(skillsOf(c), event, { onUndelivered: skillsRefusal(event) });
type ToldNews = Exclude<SkillsNews, { type: 'resources.watch' }>;
export const messagesOfSkills = (c: ComputerContext, news: ToldNews): Post[] => [
  post(c.owner, news),
  ...(c.link && news.type === 'skills.changed' ? [post(linkOf(c), news, { optional: true })] : []),
];
