import type { SessionLost } from '../../../machines/kernel/ports.ts';
import type { Moment } from '../../fault-server/words/fault.ts';
import type { Child, Death, Happening, Own, Session } from './script.ts';
import { listChanged, resourceUpdated, type News } from './wires.ts';

/** What a happening can do to a child. */
export interface Hands {
  now(): number;
  after(child: Child, ms: number, run: () => void): void;
  die(child: Child, death: Death): void;
  lose(session: Session, lost: SessionLost): void;
}

const ownOf = (hands: Hands, child: Child): Own => {
  // Like an answer it takes its time, and what is written first arrives first.
  const say = (news: News, said?: () => void): void =>
    hands.after(child, 1, () => {
      const { session, isSilent, isAlive } = child;
      if (!isAlive || isSilent || session?.state !== 'open') return;
      said?.();
      session.write(news);
    });
  return {
    after: (ms, run) => hands.after(child, ms, () => child.isAlive && run()),
    announce: (list, said) => say(listChanged(list), said),
    update: (uri, said) => say(resourceUpdated(uri), said),
  };
};
function begin(hands: Hands, child: Child, happening: Happening): void {
  if (!child.isAlive) return;
  if ('dies' in happening) hands.die(child, happening.dies);
  else if ('hangsUp' in happening) {
    if (child.session) hands.lose(child.session, { reason: 'stdout was closed' });
  } else if ('closesInput' in happening) child.isInputClosed = true;
  else if ('stopsFor' in happening) child.stoppedUntil = hands.now() + happening.stopsFor;
  else if ('deafFor' in happening) child.deafUntil = hands.now() + happening.deafFor;
  else if ('does' in happening) happening.does(ownOf(hands, child));
  else {
    child.members += 1;
    child.areStubborn ||= happening.forks.stubborn ?? false;
    child.areHeld ||= happening.forks.holdsPipes ?? false;
  }
}

/** A moment of its life has come. True: it ends or hangs up at this very moment, and answers nothing any more. */
export function happen(hands: Hands, child: Child, moment: Moment, tool?: string): boolean {
  const happenings = child.script.happens?.(moment, tool) ?? [];
  for (const happening of happenings) {
    const { afterMs = 0 } = happening;
    const isEnd = 'dies' in happening || 'hangsUp' in happening;
    // Nobody ends while he is being asked; whatever else happens, happens before he goes on.
    if (isEnd || afterMs > 0) hands.after(child, Math.max(1, afterMs), () => begin(hands, child, happening));
    else begin(hands, child, happening);
  }
  return happenings.some((h) => ('dies' in h || 'hangsUp' in h) && (h.afterMs ?? 0) === 0);
}
