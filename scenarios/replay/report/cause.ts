import type { EventObject } from 'xstate';
import { canonical } from '../../../machines/trace/canonical.ts';
import type { Crossing } from '../../../machines/trace/channels.ts';
import { covers, type Difference, type ChannelDifference } from '../comparison.ts';
import type { TapeMoment } from '../tape.ts';
import { channelOf, crossingText, cut, questionOf } from './words.ts';
import type { Fields } from '../../../machines/protocol/json.ts';

const mostNamed = 3;
/** Added fields do not count. */
function differences(was: unknown, is: unknown, at = ''): string[] {
  if (covers(is, was)) return [];
  if (typeof was !== 'object' || typeof is !== 'object' || was === null || is === null)
    return [`${at || 'it'} was ${cut(canonical(was ?? null))} and is now ${cut(canonical(is ?? null))}`];
  return Object.keys(was).flatMap((key) =>
    differences((was as Fields)[key], (is as Fields)[key], at === '' ? key : `${at}.${key}`),
  );
}
const named = (all: readonly string[]): string =>
  all.slice(0, mostNamed).join('; ') + (all.length > mostNamed ? `; and ${all.length - mostNamed} more` : '');

function doneText({ recorded, replayed }: ChannelDifference, now: readonly TapeMoment[]): string {
  const isNew = recorded === undefined;
  const crossing = recorded?.record ?? replayed?.crossing;
  if (!crossing) return '';
  const { ch, ev, k } = crossing;
  const { of, kind } = channelOf(ch);
  const [was, is] = isNew ? ['was not', 'is now'] : ['was', 'is asked no more'];
  if (kind === 'ask' && ev?.type === 'ask') return `${of} ${was} asked ${questionOf(ch)} here, and ${is}`;
  const isTwice =
    isNew && now.filter((each) => each.t === replayed?.t && isAlike(each.crossing, crossing)).length > 1;
  if (isTwice) return 'the same is done a second time';
  const what = crossingText(crossing);
  if (k === 'said' && isNew) return 'your program is told this now, and was not';
  if (k === 'said') return 'your program is told this no more';
  return isNew ? `it does this now, and did not: ${what}` : `it does this no more: ${what}`;
}
const isAlike = (a: Crossing, b: Crossing): boolean => a.k === b.k && a.ch === b.ch && covers(a.ev, b.ev);
function delayOf(
  { how, recorded, replayed }: ChannelDifference,
  now: readonly TapeMoment[],
  then: readonly TapeMoment[],
): string | undefined {
  const crossing = recorded?.record ?? replayed?.crossing;
  const at = recorded?.t ?? replayed?.t ?? 0;
  const isMissing = how === 'missing';
  const moved = (isMissing ? now : then).find(
    (each) => each.t > at && crossing && isAlike(each.crossing, crossing),
  );
  return moved && `a delay: the same comes ${Math.round(moved.t - at)} ms ${isMissing ? 'later' : 'earlier'}`;
}
function otherText(was: EventObject & Fields, is: EventObject & Fields): string {
  if (was.type === 'call.settled' && is.type === was.type) {
    const { reqId, end } = was;
    const isEnd = end !== is['end'];
    const [before, after] = isEnd ? [end, is['end']] : [was['outcome'], is['outcome']];
    if (before !== after)
      return `the call ${String(reqId)} was answered '${String(before)}' and is now answered '${String(after)}'`;
  }
  if (was.type === 'server.changed' && is.type === was.type && was['state'] !== is['state'])
    return `server ${String(was['name'])} was ${String(was['state'])} and is now ${String(is['state'])}`;
  if (was.type !== is.type) return 'something else is done in its place';
  return named(differences(was, is));
}
const moreText = (was: unknown, is: unknown): string => {
  const [before, after] = [was, is].map((ev) => (ev as { readonly params?: Fields }).params ?? {}) as [
    Fields,
    Fields,
  ];
  const fresh =
    Object.keys(after).find((key) => canonical(before[key] ?? null) !== canonical(after[key] ?? null)) ?? '';
  return `${fresh} was ${cut(canonical(before[fresh] ?? null))} and is now ${cut(canonical(after[fresh] ?? null))}`;
};
/** `now` are the crossings of the replay, `then` those of the recording. */
export function causeOf(
  difference: Difference,
  now: readonly TapeMoment[],
  then: readonly TapeMoment[],
): string {
  const { how, recorded, replayed } = difference;
  if (how === 'deaf') {
    const ch = recorded?.record.ch ?? '';
    return channelOf(ch).kind === 'ask'
      ? `nobody waits for this answer: ${channelOf(ch).of} is not asked ${questionOf(ch)} any more`
      : 'nobody is there any more whom the world tells this';
  }
  if (how === 'late') {
    const ms = Math.round((replayed?.t ?? 0) - (recorded?.t ?? 0));
    return `a delay: the same comes ${Math.abs(ms)} ms ${ms > 0 ? 'later' : 'earlier'}`;
  }
  if (recorded && replayed) {
    const { ch } = recorded.record;
    const asks =
      ch === replayed.crossing.ch ? '' : `${channelOf(ch).of} is asked ${questionOf(ch)} in other words: `;
    return (
      asks +
      (otherText(recorded.record.ev as never, replayed.crossing.ev as never) ||
        moreText(recorded.record.ev, replayed.crossing.ev))
    );
  }
  const last = difference.inputs.findLast(({ s }) => s <= (recorded?.s ?? Infinity));
  const isTimed = how === 'more' || last?.record.ch.startsWith('timer ') === true;
  return (isTimed ? delayOf(difference, now, then) : undefined) ?? doneText(difference, now);
}
