import { attachPath, subprotocol, tokenSubprotocol } from '../../machines/inspection/wire.ts';
import type { ToPage } from '../../machines/inspection/messages.ts';
import type { Session } from './session.ts';

/** Attaches to the host that served this page. The token stands in the fragment, which no browser sends anywhere. */
export function attach(session: Session): void {
  const token = /[#&]token=([0-9a-f]+)/.exec(location.hash)?.[1];
  if (token === undefined) return session.enter('no token');
  const address = `ws://${location.host}${attachPath}`;
  const socket = new WebSocket(address, [subprotocol, tokenSubprotocol(token)]);
  socket.addEventListener('open', () => session.connect((message) => socket.send(JSON.stringify(message))));
  socket.addEventListener('message', ({ data }) => session.take(JSON.parse(String(data)) as ToPage));
  socket.addEventListener('close', () => {
    session.connect(undefined);
    if (session.phase !== 'over' && session.phase !== 'file') session.enter('lost');
  });
}
