/** Nothing of the random input may arrive in a room of its own. */
import { connect as connectTcp } from 'node:net';
import { io, type Socket } from 'socket.io-client';
import { WebSocket } from 'ws';
import { draw, witnessed } from './fuzz-events.ts';
import { credentials, openFuzzedOffice, type FuzzedOffice } from './fuzz-office.ts';

export interface FuzzOptions {
  readonly seed: number;
  readonly count: number;
  readonly stateDir: string;
  readonly progress?: (done: number) => void;
}
export interface Fuzzed {
  readonly sent: number;
  readonly answered: number;
  /** Received by mistake in another room; only a limited number is kept. */
  readonly crossed: readonly string[];
  /** Resident memory after the first tenth, and at the end. */
  readonly bytes: readonly [early: number, late: number];
  readonly exitCode: number | null;
}
type Ack = (...args: unknown[]) => void;

const batch = 500;
const open = (url: string, { token }: { readonly token: string }): Socket =>
  io(`${url}/smcp`, { forceNew: true, reconnection: false, transports: ['websocket'], auth: { token } });
const asked = (socket: Socket, event: string, body: object): Promise<unknown[]> =>
  new Promise((resolve) => socket.emit(event, body, (...ack: unknown[]) => resolve(ack)));

class Witnesses {
  readonly crossed: string[] = [];
  readonly #agent: Socket;
  readonly #computer: Socket;
  #calls = 0;
  constructor(url: string) {
    [this.#agent, this.#computer] = [open(url, credentials.witness), open(url, credentials.witness)];
    for (const socket of [this.#agent, this.#computer])
      socket.onAny((event: string, body: unknown, ack: unknown) => {
        const { req_id = '' } = (body ?? {}) as { readonly req_id?: string };
        const isOurs = event === 'client:tool_call' && req_id.startsWith('witness-');
        const isComing =
          event === 'notify:enter_office' && (body as { readonly agent?: unknown }).agent === witnessed.agent;
        if (!isOurs && !isComing && this.crossed.length < 20)
          this.crossed.push(`${event} ${JSON.stringify(body)}`.slice(0, 300));
        if (typeof ack === 'function') (ack as Ack)({ content: [{ type: 'text', text: req_id }] });
      });
  }
  async sit(): Promise<void> {
    const office_id = witnessed.office;
    await asked(this.#computer, 'server:join_office', {
      office_id,
      role: 'computer',
      name: witnessed.computer,
    });
    await asked(this.#agent, 'server:join_office', { office_id, role: 'agent', name: witnessed.agent });
  }
  async check(): Promise<void> {
    const agent = witnessed.agent;
    const req_id = `witness-${(this.#calls += 1)}`;
    const call = { agent, req_id, computer: witnessed.computer, tool_name: 't', params: {}, timeout: 0 };
    const [result] = await asked(this.#agent, 'client:tool_call', call);
    if (!JSON.stringify(result).includes(req_id))
      throw new Error(`another answer: ${JSON.stringify(result)}`);
    const [room] = await asked(this.#agent, 'server:list_room', {
      agent,
      req_id,
      office_id: witnessed.office,
    });
    const { sessions } = room as { readonly sessions: readonly { readonly name: string }[] };
    if (sessions.length !== 2) throw new Error(`others sit there: ${JSON.stringify(sessions)}`);
  }
  close(): void {
    this.#agent.disconnect();
    this.#computer.disconnect();
  }
}

class Senders {
  answered = 0;
  readonly #url: string;
  readonly #sockets: Socket[] = [];
  #answers: unknown[] = [];
  #lost: (i: number) => void = () => {};
  constructor(url: string) {
    this.#url = url;
    for (let i = 0; i < 4; i++) this.#sockets.push(this.#open(i));
  }
  #open(i: number): Socket {
    const socket = open(this.#url, credentials.sender);
    socket.onAny((_event: string, ...args: unknown[]) => {
      const ack = args.at(-1);
      if (typeof ack === 'function') (ack as Ack)(this.#answers[i % this.#answers.length]);
    });
    const [role, name] = i % 2 === 0 ? ['agent', 'a0'] : ['computer', 'c0'];
    socket.emit('server:join_office', { office_id: `f${i >> 1}`, role, name }, () => {});
    socket.on('disconnect', () => this.#lost(i));
    return socket;
  }
  /** Rejects when the office closes a socket or is silent for a minute. */
  async send(seed: number, count: number): Promise<void> {
    this.#answers = draw.answers(seed, 16);
    const unanswered = new Map<number, string>();
    const all = draw.events(seed, count).map(
      ({ event, args }, n) =>
        new Promise<void>((resolve) => {
          unanswered.set(n, `${event} ${JSON.stringify(args)}`.slice(0, 300));
          this.#sockets[n % this.#sockets.length]?.emit(event, ...args, () => {
            unanswered.delete(n);
            this.answered += 1;
            resolve();
          });
        }),
    );
    let timer: NodeJS.Timeout | undefined;
    const lost = new Promise<never>((_, reject) => {
      const give = (why: string): void =>
        reject(new Error(`${why}; without an answer: ${[...unanswered.values()].slice(0, 5).join(', ')}`));
      this.#lost = (i) => give(`the office has closed socket ${i}`);
      timer = setTimeout(() => give('no answer in a minute'), 60_000);
    });
    try {
      await Promise.race([Promise.all(all), lost]);
    } finally {
      clearTimeout(timer);
    }
  }
  close(): void {
    this.#lost = () => {};
    this.#sockets.forEach((socket) => socket.disconnect());
  }
}

async function sendFrames(url: string, seed: number, count: number): Promise<void> {
  let socket: WebSocket | undefined;
  const openOne = async (): Promise<WebSocket> => {
    const made = new WebSocket(`${url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
    made.on('error', () => {});
    await new Promise((resolve) => made.once('open', resolve));
    made.send(`40/smcp,${JSON.stringify({ token: credentials.sender.token })}`);
    return made;
  };
  for (const frame of draw.frames(seed, count)) {
    if (socket?.readyState !== WebSocket.OPEN) socket = await openOne();
    const { promise, done } = written();
    socket.send(frame, done);
    await promise;
  }
  socket?.terminate();
}
const written = (): { readonly promise: Promise<void>; done(): void } => {
  let done = (): void => {};
  const promise = new Promise<void>((resolve) => (done = resolve));
  return { promise, done: () => done() };
};
const sendBytes = (port: number, bytes: Buffer): Promise<void> =>
  new Promise((resolve) => {
    const socket = connectTcp(port, '127.0.0.1', () => socket.end(bytes));
    socket.on('error', () => {});
    // Any reply will do: it shows that the office is alive.
    socket.once('data', () => socket.destroy());
    socket.once('end', () => socket.destroy());
    socket.once('close', () => resolve());
  });

async function sendAll(office: FuzzedOffice, senders: Senders, seed: number): Promise<void> {
  const part = batch / 10;
  const frames = sendFrames(office.url, seed, 2 * part);
  const bytes = Promise.all(draw.bytes(seed, part).map((one) => sendBytes(office.port, one)));
  await Promise.all([senders.send(seed, batch - 3 * part), frames, bytes]);
}
/** Rejects with the seed of the batch when the office dies, hangs up on who keeps to Socket.IO, or answers its witnesses wrongly. */
export async function fuzz({ seed, count, stateDir, progress }: FuzzOptions): Promise<Fuzzed> {
  const office = await openFuzzedOffice(stateDir);
  const witnesses = new Witnesses(office.url);
  await witnesses.sit();
  await witnesses.check();
  const senders = new Senders(office.url);
  let early = 0;
  let sent = 0;
  const resident = (): Promise<number> => office.measured('process_resident_memory_bytes');
  try {
    for (; sent < count; sent += batch) {
      const of = seed + sent;
      try {
        await sendAll(office, senders, of);
        await witnesses.check();
      } catch (error) {
        throw new Error(`batch of seed ${of}: ${office.death() ?? String(error)}`, { cause: error });
      }
      if (early === 0 && sent >= count / 10) early = await resident();
      progress?.(sent + batch);
    }
    const late = await resident();
    const { answered } = senders;
    senders.close();
    witnesses.close();
    const exitCode = await office.close();
    return { sent, answered, crossed: witnesses.crossed, bytes: [early, late], exitCode };
  } finally {
    senders.close();
    witnesses.close();
    await office.close();
  }
}
