import { io, type Socket } from 'socket.io-client';
import { startSide, type Used } from '../lines.ts';
import { pairs, ratio, type Pair } from '../measure.ts';
import { atMost, type Row } from '../row.ts';

/** Bare peers in offices of a hundred, as a host for a customer has them. */
const perOffice = 100;
const joining = 64;

async function join(url: string, n: number): Promise<Socket> {
  const socket = io(url, { transports: ['websocket'], forceNew: true, timeout: 300_000 });
  const role = n % perOffice === 0 ? 'agent' : 'computer';
  const seat = { role, name: `peer${n}`, office_id: `office${Math.floor(n / perOffice)}` };
  const [isSeated, why] = (await new Promise((resolve) => {
    socket.emit('server:join_office', seat, (...answer: [boolean, unknown]) => resolve(answer));
  })) as readonly [boolean, unknown];
  if (!isSeated) throw new Error(`seat ${n} was refused: ${JSON.stringify(why)?.slice(0, 200)}`);
  return socket;
}
async function seat(url: string, seats: number, atOnce: number): Promise<readonly Socket[]> {
  let next = 0;
  const sockets: Socket[] = [];
  const worker = async (): Promise<void> => {
    while (next < seats) sockets.push(await join(url, next++));
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return sockets;
}
interface Cost {
  readonly heapKb: number;
  readonly joinUs: number;
  readonly stormUs: number;
}
async function filled(
  whose: string,
  seats: number,
  atOnce: number,
): Promise<{ readonly before: Used; readonly after: Used }> {
  const office = await startSide('office-process.js', [whose]);
  const before = await office.used();
  const sockets = await seat(office.url, seats, atOnce);
  const after = await office.used();
  for (const socket of sockets) socket.disconnect();
  await office.close();
  return { before, after };
}
/** In a storm all join at once, as after the restart of an office. */
const costOf = (whose: string, seats: number) => async (): Promise<Cost> => {
  const { before, after } = await filled(whose, seats, joining);
  const storm = await filled(whose, seats, seats);
  return {
    heapKb: (after.heapBytes - before.heapBytes) / 1_024 / seats,
    joinUs: (after.cpuUs - before.cpuUs) / seats,
    stormUs: (storm.after.cpuUs - storm.before.cpuUs) / seats,
  };
};

export const measureSeats: Row['measure'] = async ({ isQuick }, tell) => {
  const [rounds, seats] = isQuick ? [1, 200] : [3, 5_000];
  const found = await pairs(rounds, costOf('bare', seats), costOf('ours', seats));
  const of = (key: keyof Cost): Pair[] =>
    found.map(({ yardstick, ours }) => ({ yardstick: yardstick[key], ours: ours[key] }));
  tell(ratio(`heap of a seat among ${seats}`, of('heapKb'), 'KB', atMost(1.2)));
  tell(ratio('CPU of a join', of('joinUs'), 'µs', atMost(1.2)));
  tell(ratio('CPU of a join when all come at once', of('stormUs'), 'µs', atMost(1.4)));
};
