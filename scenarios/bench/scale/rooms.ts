import { io, type Socket } from 'socket.io-client';

const result = { content: [{ type: 'text', text: 'hi' }], isError: false };
/** So many sockets connect at once. */
const atOnce = 50;

interface Room {
  readonly id: string;
  readonly agent: Socket;
  readonly computers: readonly Socket[];
}
/** What came of many calls. */
export interface Calls {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answered with something else than the result of the tool. */
  readonly refused: number;
}

async function seated(
  url: string,
  role: 'agent' | 'computer',
  name: string,
  office_id: string,
): Promise<Socket> {
  const socket = io(url, { transports: ['websocket'], forceNew: true, reconnection: false });
  const [ok, why] = await new Promise<[boolean, unknown]>((resolve, reject) => {
    socket.once('connect_error', reject);
    socket.once('connect', () =>
      socket.emit('server:join_office', { role, name, office_id }, (...ack: [boolean, unknown]) =>
        resolve(ack),
      ),
    );
  });
  if (!ok) throw new Error(`${role} ${name} of ${office_id} was not seated: ${String(why)}`);
  return socket;
}
async function inTurns<T>(jobs: readonly (() => Promise<T>)[], most: number): Promise<T[]> {
  const done: T[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let n = next++; n < jobs.length; n = next++) done[n] = await (jobs[n] as () => Promise<T>)();
  };
  await Promise.all(Array.from({ length: most }, worker));
  return done;
}
const percentile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;

/** Rooms of bare sockets: an agent and its computers each, which answer at once. `close` ends all of them. */
export class Rooms {
  readonly #rooms: readonly Room[];
  #calls = 0;

  private constructor(rooms: readonly Room[]) {
    this.#rooms = rooms;
  }
  /** `agents` and `computers`: the office, or the node, at which they sit. */
  static async open(
    { agents, computers }: { readonly agents: string; readonly computers: string },
    {
      rooms,
      perRoom,
      prefix = 'room',
    }: { readonly rooms: number; readonly perRoom: number; readonly prefix?: string },
  ): Promise<Rooms> {
    const ids = Array.from({ length: rooms }, (_, n) => `${prefix} ${n}`);
    const jobs = ids.map((id) => async (): Promise<Room> => {
      const agent = await seated(agents, 'agent', 'a', id);
      const all = await Promise.all(
        Array.from({ length: perRoom - 1 }, (_, n) => seated(computers, 'computer', `c${n}`, id)),
      );
      for (const computer of all)
        computer.on('client:tool_call', (_: unknown, ack: (body: object) => void) => ack(result));
      return { id, agent, computers: all };
    });
    return new Rooms(await inTurns(jobs, atOnce));
  }
  get seats(): number {
    return this.#rooms.reduce((sum, { computers }) => sum + 1 + computers.length, 0);
  }
  /** `count` calls, `inFlight` at once, over all rooms in turn. */
  async call(count: number, inFlight: number): Promise<Calls> {
    const times: number[] = [];
    let refused = 0;
    const since = performance.now();
    const jobs = Array.from({ length: count }, () => async (): Promise<void> => {
      const began = performance.now();
      if (!(await this.#one())) refused += 1;
      times.push(performance.now() - began);
    });
    await inTurns(jobs, inFlight);
    const seconds = (performance.now() - since) / 1_000;
    times.sort((a, b) => a - b);
    return {
      perSecond: count / seconds,
      p50Ms: percentile(times, 0.5),
      p99Ms: percentile(times, 0.99),
      refused,
    };
  }
  #one(): Promise<boolean> {
    const n = this.#calls++;
    const room = this.#rooms[n % this.#rooms.length] as Room;
    const computer = `c${Math.floor(n / this.#rooms.length) % room.computers.length}`;
    const call = {
      agent: 'a',
      req_id: `r${n}`,
      computer,
      tool_name: 'echo',
      params: { text: 'hi' },
      timeout: 60,
    };
    return new Promise((resolve) => {
      room.agent.emit('client:tool_call', call, (answer: { readonly isError?: unknown } | null) =>
        resolve(answer?.isError === false),
      );
    });
  }
  close(): void {
    for (const { agent, computers } of this.#rooms)
      for (const socket of [agent, ...computers]) socket.disconnect();
  }
}
