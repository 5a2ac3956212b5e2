import { meet } from './http-door.mjs';
import { createStreams } from './http-streams.mjs';
import { createOwn } from '../own/own.mjs';
import { createReplies } from '../replies.mjs';
import { createSession } from '../session.mjs';
import { createTriggers } from '../triggers.mjs';

/** Creates one HTTP session, with a server of its own. `hands` execute the faults of the session. */
export function createHttpSession({ id, now, kind, hands, log, shared }) {
  const triggers = createTriggers(now.faults, now.seed, shared);
  const streams = createStreams({ id, isShared: kind === 'sse' });
  const { output } = streams;
  const acts = new Map([
    [
      'life.requestBeforeReady',
      ({ method }) => output.line(JSON.stringify({ jsonrpc: '2.0', id: 'before-ready', method })),
    ],
  ]);
  const own = createOwn(now, {
    say: (list) => session.say(list),
    update: (uri) => session.update(uri),
    isOver: () => isCut,
  });
  let isCut = false;
  const all = new Map([...acts, ...own.changes]);
  const happen = (when, tool) => {
    triggers.reach(when);
    for (const fault of triggers.take(all, when, tool)) {
      const act = () => all.get(fault.fault)(fault);
      log({ did: fault.fault });
      if (fault.afterMs > 0) setTimeout(act, fault.afterMs);
      else act();
    }
  };
  const replies = createReplies({ triggers, output, log });
  const session = createSession(now, { own, triggers, happen, output, replies, log });
  return {
    id,
    /** A request: refused, or read. */
    ask: (text, message, response) => {
      const { instead, word } = meet(message, { triggers, does: hands.does, log });
      if (instead) hands.instead(instead, response);
      else streams.during(message.id, response, word, () => session.receive(text));
    },
    say: (text) => session.receive(text),
    listen: streams.listen,
    /** Cuts the streams of the session without being asked. */
    cut: () => {
      isCut = true;
      session.silence();
      streams.cut();
    },
  };
}
