import { createAnswerStream, openStream, retryMs } from './http-streams.mjs';
import { createReplies } from './replies.mjs';
import { createSession } from './session.mjs';
import { createTriggers } from './triggers.mjs';

const moments = { initialize: 'initialize', 'tools/list': 'list', 'tools/call': 'call' };
const refusing = new Set(['net.httpStatus', 'net.reset', 'net.hang']);
const passing = new Set(['net.sessionGone', 'net.serverDown']);
const ofAnswers = new Set(['net.sseCut', 'net.slow']);
const netWords = new Set([...refusing, ...passing, ...ofAnswers]);

/** One session: a server of its own behind a door. `hands` do to it and to its server what the words say. */
export function createHttpSession({ id, now, kind, hands, log }) {
  const triggers = createTriggers(now.faults, now.seed);
  const asked = new Map();
  const kept = new Map();
  const unheard = [];
  let listening;
  let reading;
  const output = {
    line: (line, _framing, about) => {
      const text = String(line);
      const message = JSON.parse(text);
      const stream = asked.get(about);
      if (stream && message.method === undefined) stream.answer(text, message.id === about);
      else if (stream) stream.say(text);
      else if (about === undefined) tell(text);
    },
  };
  /** On the stream for what is about no request, or with what is being asked; else it waits. */
  const tell = (text) => {
    if (listening && !listening.destroyed) listening.write(`event: message\ndata: ${text}\n\n`);
    else if (asked.has(reading)) asked.get(reading).say(text);
    else unheard.push(text);
  };
  const acts = new Map([
    [
      'life.requestBeforeReady',
      ({ method }) => output.line(JSON.stringify({ jsonrpc: '2.0', id: 'before-ready', method })),
    ],
  ]);
  const happen = (when, tool) => {
    triggers.reach(when);
    for (const fault of triggers.take(acts, when, tool)) {
      log({ did: fault.fault });
      if (fault.afterMs > 0) setTimeout(() => acts.get(fault.fault)(fault), fault.afterMs);
      else acts.get(fault.fault)(fault);
    }
  };
  const replies = createReplies({ triggers, output, log });
  const session = createSession(now, { triggers, happen, output, replies, log });

  /** What happens at the door: the fault that stands in place of reading, and the one under which the answer leaves. */
  const meet = ({ method, params }) => {
    const when = Object.hasOwn(moments, method) ? moments[method] : undefined;
    const faults = triggers.take(netWords, when, method === 'tools/call' ? params?.name : undefined);
    for (const { fault } of faults) log({ did: fault });
    for (const fault of faults)
      if (passing.has(fault.fault) && fault.afterMs > 0) setTimeout(() => hands.does(fault), fault.afterMs);
    const isInstead = ({ fault, afterMs = 0 }) =>
      refusing.has(fault) || (passing.has(fault) && afterMs === 0);
    return { instead: faults.find(isInstead), word: faults.find(({ fault }) => ofAnswers.has(fault)) };
  };
  const read = (text, message, stream, word) => {
    const name = `${id}.${asked.size}.${kept.size}`;
    const isShared = kind === 'sse';
    asked.set(message.id, createAnswerStream(stream, { word, name, kept, isShared }));
    reading = message.id;
    session.receive(text);
    reading = undefined;
  };
  return {
    id,
    /** A request: refused, or read. */
    ask: (text, message, response) => {
      const { instead, word } = meet(message);
      if (instead) return hands.instead(instead, response);
      if (kind === 'sse') {
        response.writeHead(202).end();
        return listening && read(text, message, listening, word);
      }
      response.on('close', () => asked.delete(message.id));
      read(text, message, openStream(response, id), word);
    },
    say: (text) => session.receive(text),
    /** The stream for what is about no request, or the rest of one that was cut. */
    listen: (response, lastEventId) => {
      openStream(response, id);
      if (kept.has(lastEventId)) return response.end(kept.get(lastEventId));
      listening = response;
      response.write(`retry: ${retryMs}\n\n`);
      for (const text of unheard.splice(0)) tell(text);
    },
    /** Its streams end, and nobody asked for it. */
    cut: () => {
      session.silence();
      for (const stream of asked.values()) stream.close();
      listening?.destroy();
    },
  };
}
