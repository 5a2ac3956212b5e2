/** Messages between a computer and the machine of its skills. */
import { childOf } from '../kernel/address.ts';
import { message, open, post, type CheckedMessage, type Open, type Post } from '../kernel/effects.ts';
import { timingOf } from '../kernel/timing.ts';
import {
  closingFailure,
  skillsKind,
  type SkillsNews,
  type SkillsOrder,
  type SkillsWanted,
  type SkillWanted,
} from '../skills/skills.rules.ts';
import { linkOf, type ComputerContext } from './computer.rules.ts';

export const skillsOpen = (c: ComputerContext): Open =>
  open(skillsKind, { timing: timingOf.skills(c.timing) });
/** Opens the machine of the skills when it is first needed. */
export const skillsOpenings = (c: ComputerContext): Open[] => (c.hasSkills ? [] : [skillsOpen(c)]);
export const afterSkillsOpened = (c: ComputerContext): Partial<ComputerContext> =>
  c.hasSkills ? {} : { hasSkills: true, open: c.open + 1 };

type Question = SkillsWanted | SkillWanted;
/** Refuses a question when the machine of the skills no longer exists. */
export function skillsRefusal(wanted: Question): CheckedMessage {
  const about = { ticket: wanted.ticket, reqId: wanted.reqId, failure: closingFailure };
  return wanted.type === 'skills.wanted'
    ? message(wanted.replyTo, { type: 'skills.shown', ...about, skills: [] })
    : message(wanted.replyTo, { type: 'skill.shown', ...about, file: null });
}
/** Passes a question, or the news of a changed folder, to the machine of the skills. */
export const toSkills = (
  c: ComputerContext,
  event: Extract<SkillsOrder, Question | { type: 'skills.look' }>,
): Post =>
  event.type === 'skills.look'
    ? post(childOf(c.self, skillsKind), event, { optional: true })
    : post(childOf(c.self, skillsKind), event, { onUndelivered: skillsRefusal(event) });
/** Reports news of the skills to the host, and a change to the link. */
export const messagesOfSkills = (c: ComputerContext, news: SkillsNews): Post[] => [
  post(c.owner, news),
  ...(c.link && news.type === 'skills.changed' ? [post(linkOf(c), news, { optional: true })] : []),
];
