/**
 * A process of its own that makes trouble for an office: an agent that calls as fast as it can, and a computer that does not read what
 * its agent sends it. Says what became of both when its stdin ends.
 */
import { io, type Socket } from 'socket.io-client';

const [, , url = ''] = process.argv;
const [greedyAtOnce, large] = [1_000, 'x'.repeat(256 * 1024)];
const seated = async (role: string, name: string, office_id: string): Promise<Socket> => {
  const socket = io(url, { transports: ['websocket'], forceNew: true, reconnection: false });
  await new Promise<void>((resolve) => {
    socket.once('connect', () =>
      socket.emit('server:join_office', { role, name, office_id }, () => resolve()),
    );
  });
  return socket;
};
interface Raw {
  readonly io: { readonly engine: { readonly transport: { readonly ws?: { pause?(): void } } } };
}
const said = { answered: 0, refused: 0, greedyCut: false, slowCut: false };
const call = (agent: Socket, computer: string, text: string, then: (isError: boolean) => void): void => {
  const req_id = `r${Math.random()}`;
  agent.emit(
    'client:tool_call',
    { agent: 'a', req_id, computer, tool_name: 't', params: { text }, timeout: 60 },
    (answer: { readonly isError?: boolean } | null) => then(answer?.isError !== false),
  );
};

const greedy = await seated('agent', 'a', 'greedy');
const willing = await seated('computer', 'c', 'greedy');
willing.on('client:tool_call', (_: unknown, ack: (body: object) => void) =>
  ack({ content: [], isError: false }),
);
greedy.on('disconnect', () => (said.greedyCut = true));
const again = (): void => {
  if (greedy.connected)
    call(greedy, 'c', 'hi', (isError) => {
      if (isError) said.refused += 1;
      else said.answered += 1;
      again();
    });
};
const [sender, slow] = [await seated('agent', 'a', 'slow'), await seated('computer', 'c', 'slow')];
slow.on('disconnect', () => (said.slowCut = true));
(slow as unknown as Raw).io.engine.transport.ws?.pause?.();
const sending = setInterval(() => call(sender, 'c', large, () => {}), 10);
for (let n = 0; n < greedyAtOnce; n += 1) again();
process.stdout.write('begun\n');
process.stdin.resume().on('end', () => {
  clearInterval(sending);
  process.stdout.write(`${JSON.stringify(said)}\n`, () => process.exit());
});
