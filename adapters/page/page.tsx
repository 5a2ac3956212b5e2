import { render } from 'preact';
import { App } from './app.tsx';
import { attachPath, embedded, subprotocol, tokenSubprotocol } from '../../machines/inspection-wire.ts';
import type { Checks, ToPage } from '../../machines/inspection.ts';
import { Session } from './session.ts';

/** Start of the page: reads the recording that the page contains, or connects to the host that served it. */

/** Number of characters of a trace that are read in one turn of the event loop. */
const sliceChars = 256 * 1024;
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
  const read = (from: number): void => {
    const end = trace.indexOf('\n', from + sliceChars) + 1 || trace.length;
    session.take({ type: 'records', lines: trace.slice(from, end) });
    if (end < trace.length) setTimeout(() => read(end));
    else {
      session.take({ type: 'complete', records: session.history.length });
      // Opens the panel of checks when the replay differs, because a person given this file should see what is wrong.
      if (typeof session.checks === 'object' && session.checks.verdict !== 'same')
        session.choose({ panel: 'checks' });
    }
  };
  read(0);
  return true;
}
/**
 * Connects the page to the host that served it. The token is in the fragment of the address, which no browser sends
 * over the network.
 */
function attach(session: Session): void {
  const token = /[#&]token=([0-9a-f]+)/.exec(location.hash)?.[1];
  if (token === undefined) return session.enter('no token');
  const address = `ws://${location.host}${attachPath}`;
  const socket = new WebSocket(address, [subprotocol, tokenSubprotocol(token)]);
  socket.addEventListener('open', () => session.connect((message) => socket.send(JSON.stringify(message))));
  socket.binaryType = 'arraybuffer';
  const utf8 = new TextDecoder();
  socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) =>
    session.take(
      typeof data === 'string' ? (JSON.parse(data) as ToPage) : { type: 'records', lines: utf8.decode(data) },
    ),
  );
  socket.addEventListener('close', () => {
    session.connect(undefined);
    if (session.phase !== 'over' && session.phase !== 'file') session.enter('lost');
  });
}

const session = new Session(() => performance.now());
const root = document.getElementById('app');
root?.replaceChildren();
if (root) render(<App session={session} />, root);
if (!readEmbedded(session)) attach(session);
