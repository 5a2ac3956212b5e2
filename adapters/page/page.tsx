import { render } from 'preact';
import { App } from './app.tsx';
import {
  attachPath,
  embedded,
  subprotocol,
  tokenSubprotocol,
  type Checks,
  type ToPage,
} from '../../machines/inspection.ts';
import { isHistoryStep, viewOf } from './choice.ts';
import { Fleet } from './fleet.ts';
import { FleetApp } from './panels/fleet.tsx';
import { Session } from './session.ts';
import { unpackedParts } from './unpacked.ts';

/** Start of the page: reads the recordings that the page contains, or connects to the host that served it. */

/** Number of characters of a trace that are read in one turn of the event loop. */
const sliceChars = 256 * 1024;
/** Times in ms between tries to reach a host again. */
const [firstRetry, lastRetry] = [500, 5_000];
/** Time in ms for which small changes of the view wait before they are written into the address. */
const writeMs = 250;
const turn = (): Promise<void> => new Promise((done) => void setTimeout(done));
/** Reads the records of a trace that the page contains, in slices between which the page goes on. */
async function readTrace(session: Session, trace: string): Promise<void> {
  let lines = '';
  for await (const part of unpackedParts(trace)) {
    lines += part;
    if (lines.length < sliceChars) continue;
    const end = lines.lastIndexOf('\n') + 1;
    session.take({ type: 'records', lines: lines.slice(0, end) });
    lines = lines.slice(end);
    await turn();
  }
  session.take({ type: 'records', lines });
}
/**
 * Reads the host facts and the trace contained in a page that is one HTML file. Of several traces, `ending` selects the
 * one whose element ids end in it. Returns false when the page contains none.
 */
function readEmbedded(session: Session, ending = ''): boolean {
  const [welcome, trace] = [embedded.welcome, embedded.trace].map(
    (id) => document.getElementById(`${id}${ending}`)?.textContent,
  );
  if (!welcome || !trace) return false;
  session.take(JSON.parse(welcome) as ToPage);
  const checks = document.getElementById(`${embedded.checks}${ending}`)?.textContent;
  if (checks) session.judge(JSON.parse(checks) as Checks | null);
  void readTrace(session, trace).then(() => {
    session.take({ type: 'complete', records: session.history.length });
  });
  return true;
}
interface Attaching {
  readonly session: Session;
  readonly token: string;
  /** Path of the host at the server of this page. */
  readonly path: string;
  /** Function that takes each message; by default the session takes it. */
  readonly take?: (message: ToPage) => void;
}
/**
 * Connects a session to a host. The token is in the fragment of the address, which no browser sends over the network. After
 * a lost connection it connects again, as long as the page is open.
 */
function attach(attaching: Attaching, delay = firstRetry): void {
  const { session, token, path, take = (message) => session.take(message) } = attaching;
  const socket = new WebSocket(`${location.protocol.replace('http', 'ws')}//${location.host}${path}`, [
    subprotocol,
    tokenSubprotocol(token),
  ]);
  let wasOpen = false;
  socket.addEventListener('open', () => {
    wasOpen = true;
    session.connect((message) => socket.send(JSON.stringify(message)));
  });
  socket.binaryType = 'arraybuffer';
  const utf8 = new TextDecoder();
  socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) =>
    take(
      typeof data === 'string' ? (JSON.parse(data) as ToPage) : { type: 'records', lines: utf8.decode(data) },
    ),
  );
  socket.addEventListener('close', () => {
    session.connect(undefined);
    if (session.phase === 'over' || session.phase === 'file') return;
    if (wasOpen) session.lose(Date.now());
    else if (!session.away) return void whoAnswers(path).then((phase) => session.enter(phase));
    else void whoAnswers(path).then((phase) => session.phase !== 'live' && session.enter(phase));
    setTimeout(() => attach(attaching, Math.min(lastRetry, delay * 2)), wasOpen ? firstRetry : delay);
  });
}
/** A host that answers, and takes no token of this page, is another one. */
const whoAnswers = async (path: string): Promise<'other' | 'lost'> =>
  // Of several hosts on one page, another server answers for each.
  path !== attachPath
    ? 'lost'
    : fetch(location.pathname).then(
        ({ ok }) => (ok ? 'other' : 'lost'),
        () => 'lost',
      );
/** Part of the page whose view is kept in the address. */
interface Addressed {
  fragmentFrom(present: string): string;
  show(fragment: string): void;
}
/**
 * Makes a function that writes a view into the address, as a step for the Back button or as a small change. Also shows the
 * earlier view when a person uses that button.
 */
function keepAddress(view: Addressed): (isStep: boolean) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = (how: 'pushState' | 'replaceState'): void => {
    clearTimeout(timer);
    const fragment = view.fragmentFrom(location.hash);
    if (fragment !== location.hash) history[how](null, '', fragment || location.pathname + location.search);
  };
  addEventListener('popstate', () => view.show(location.hash));
  return (isNewStep) => {
    if (isNewStep) return write('pushState');
    clearTimeout(timer);
    timer = setTimeout(() => write('replaceState'), writeMs);
  };
}

const fresh = (): Session =>
  new Session(
    () => performance.now(),
    () => Date.now(),
  );
/** Makes a session that begins with the view in the address. */
const linked = (): Session => {
  const session = fresh();
  session.show(viewOf(location.hash));
  return session;
};
const root = document.getElementById('app');
function showFleet(open: (path: string) => Session): Fleet {
  const fleet = new Fleet(open, location.hash);
  fleet.onChoose(keepAddress(fleet));
  if (root) render(<FleetApp fleet={fleet} />, root);
  return fleet;
}
/** Connects the page to the host that served it or, when that host names several hosts, to each of those. */
function attachAll(only: Session): void {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token === null) return only.enter('no token');
  const open = (path: string): Session => {
    const session = linked();
    attach({ session, token, path });
    return session;
  };
  let fleet: Fleet | undefined;
  const take = (message: ToPage): void => {
    if (message.type !== 'fleet') return only.take(message);
    fleet ??= showFleet(open);
    fleet.take(message.hosts);
  };
  attach({ session: only, token, path: attachPath, take });
}
/** Reads several traces that the page contains; returns false when there are none. */
function showSeveral(): boolean {
  const sessions: Session[] = [];
  for (let next = linked(); readEmbedded(next, `-${sessions.length}`); next = linked()) sessions.push(next);
  if (sessions.length === 0) return false;
  const fleet = showFleet(linked);
  for (const session of sessions) fleet.add(session);
  return true;
}
const session = linked();
const keep = keepAddress({
  fragmentFrom: (present) => session.fragmentFrom(present),
  show: (fragment) => session.show(viewOf(fragment)),
});
session.onChoose((before, after) => keep(isHistoryStep(before, after)));
root?.replaceChildren();
if (root) render(<App session={session} />, root);
if (!readEmbedded(session) && !showSeveral()) attachAll(session);
