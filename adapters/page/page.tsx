import { render } from 'preact';
import { App } from './app.tsx';
import { attachPath, embedded, subprotocol, tokenSubprotocol } from '../../machines/inspection-wire.ts';
import type { Checks, ToPage } from '../../machines/inspection.ts';
import { fragmentOf, isStep, viewOf } from './choice.ts';
import { Session } from './session.ts';

/** Start of the page: reads the recording that the page contains, or connects to the host that served it. */

/** Number of characters of a trace that are read in one turn of the event loop. */
const sliceChars = 256 * 1024;
/** Times in ms between tries to reach a host again. */
const [firstRetry, lastRetry] = [500, 5_000];
/** Time in ms for which small changes of the view wait before they are written into the address. */
const writeMs = 250;
/**
 * Reads the host facts and the trace contained in a page that is one HTML file; returns false when the page contains
 * none.
 */
function readEmbedded(session: Session): boolean {
  const [welcome, trace] = [embedded.welcome, embedded.trace].map(
    (id) => document.getElementById(id)?.textContent,
  );
  if (!welcome || !trace) return false;
  session.take(JSON.parse(welcome) as ToPage);
  const checks = document.getElementById(embedded.checks)?.textContent;
  if (checks) session.checks = JSON.parse(checks) as Checks;
  const isPlain = location.hash === '';
  const read = (from: number): void => {
    const end = trace.indexOf('\n', from + sliceChars) + 1 || trace.length;
    session.take({ type: 'records', lines: trace.slice(from, end) });
    if (end < trace.length) setTimeout(() => read(end));
    else {
      session.take({ type: 'complete', records: session.history.length });
      // Opens the panel of checks when the replay differs, because a person given this file should see what is wrong.
      if (isPlain && typeof session.checks === 'object' && session.checks.verdict !== 'same')
        session.choose({ panel: 'checks' });
    }
  };
  read(0);
  return true;
}
/**
 * Connects the page to the host that served it. The token is in the fragment of the address, which no browser sends
 * over the network. A lost connection is made again, as long as the page is open.
 */
function attach(session: Session, token: string, delay = firstRetry): void {
  const address = `ws://${location.host}${attachPath}`;
  const socket = new WebSocket(address, [subprotocol, tokenSubprotocol(token)]);
  let wasOpen = false;
  socket.addEventListener('open', () => {
    wasOpen = true;
    session.connect((message) => socket.send(JSON.stringify(message)));
  });
  socket.binaryType = 'arraybuffer';
  const utf8 = new TextDecoder();
  socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) =>
    session.take(
      typeof data === 'string' ? (JSON.parse(data) as ToPage) : { type: 'records', lines: utf8.decode(data) },
    ),
  );
  socket.addEventListener('close', () => {
    session.connect(undefined);
    if (session.phase === 'over' || session.phase === 'file') return;
    if (wasOpen) session.lose(Date.now());
    else if (!session.away) return session.enter('lost');
    setTimeout(() => attach(session, token, Math.min(lastRetry, delay * 2)), wasOpen ? firstRetry : delay);
  });
}
/** Keeps the address of the page in step with its view, and follows the Back button. */
function keepAddress(session: Session): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = (how: 'pushState' | 'replaceState'): void => {
    clearTimeout(timer);
    const { choice, isNow, at } = session;
    const s = isNow ? undefined : session.history.row(at)?.s;
    const fragment = fragmentOf(choice, s, location.hash);
    if (fragment !== location.hash) history[how](null, '', fragment || location.pathname + location.search);
  };
  session.onChoose((before, after) => {
    if (isStep(before, after)) return write('pushState');
    clearTimeout(timer);
    timer = setTimeout(() => write('replaceState'), writeMs);
  });
  addEventListener('popstate', () => session.show(viewOf(location.hash)));
}

const session = new Session(
  () => performance.now(),
  () => Date.now(),
);
session.show(viewOf(location.hash));
keepAddress(session);
const root = document.getElementById('app');
root?.replaceChildren();
if (root) render(<App session={session} />, root);
if (!readEmbedded(session)) {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token === null) session.enter('no token');
  else attach(session, token);
}
