/**
 * A process of its own with a room of 500, of whom 40 computers tell of changes: each of two kinds, more often than it may, so that
 * the room is at its limit. They begin with each line of its stdin, and stop with the next; each time it says so.
 */
import { createInterface } from 'node:readline';
import { io, type Socket } from 'socket.io-client';

const [, , url = ''] = process.argv;
const [seats, tellers, everyMs] = [500, 40, 50];
const seated = (n: number): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = io(url, { transports: ['websocket'], forceNew: true, reconnection: false });
    const seat = { role: n === 0 ? 'agent' : 'computer', name: `c${n}`, office_id: 'crowd' };
    socket.once('connect', () => socket.emit('server:join_office', seat, () => resolve(socket)));
  });
const all: Socket[] = [];
for (let n = 0; n < seats; n += 1) all.push(await seated(n));
const telling = all.slice(1, 1 + tellers);
let turn = 0;
const tell = (): void => {
  // One after the other, as they would in a crowd, and not all at once.
  const per = telling.length / everyMs;
  for (let n = Math.floor(turn * per); n < Math.floor((turn + 1) * per); n += 1)
    for (const what of ['desktop', 'finder'])
      telling[n % telling.length]?.emit(`server:update_${what}`, {
        computer: `c${1 + (n % telling.length)}`,
      });
  turn += 1;
};
let timer: NodeJS.Timeout | undefined;
process.stdout.write('seated\n');
createInterface({ input: process.stdin })
  .on('line', () => {
    if (timer) clearInterval(timer);
    timer = timer ? undefined : setInterval(tell, 1);
    process.stdout.write(timer ? 'telling\n' : 'silent\n');
  })
  .on('close', () => process.exit());
