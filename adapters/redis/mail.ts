import { isAscii } from 'node:buffer';
import { Decoder, Encoder, PacketType } from 'socket.io-parser';
import { answers, type Head, type Letter } from './answers.ts';
import type { Client, KeptClient, Keys, Clients } from './clients.ts';
import type { NodeMessage, RegisterNews, RegisterCallback } from '../../machines/office/rooms/register.ts';

/** Socket.IO's codec, so that values are the same for peers of all nodes: text, line break, binary values. */
type WrittenLetter = string | Buffer;

const encoder = new Encoder();
/** Decoder without a limit of attachments, because a message is always decoded as a whole. */
const decoder = new Decoder({ maxAttachments: Number.MAX_SAFE_INTEGER });
let parts: unknown;
decoder.on('decoded', ({ data }) => void (parts = data));
const lineBreak = 0x0a;
const lengthBytes = 4;

/** Throws when the message is nested too deep. */
function written(letter: readonly unknown[]): WrittenLetter {
  const [text, ...binaries] = encoder.encode({
    type: PacketType.ACK,
    nsp: '/',
    data: letter as unknown[],
  }) as [string, ...Uint8Array[]];
  // Sends text when possible, because it costs the client of Redis less than bytes.
  if (binaries.length === 0) return text;
  const blocks = [Buffer.from(`${text}\n`)];
  for (const binary of binaries) {
    const length = Buffer.alloc(lengthBytes);
    length.writeUInt32BE(binary.byteLength);
    blocks.push(length, Buffer.from(binary));
  }
  return Buffer.concat(blocks);
}
/** Returns the text of bytes; most are ASCII, which is read several times as fast that way. */
const textIn = (bytes: Buffer): string => bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
function read(letter: Buffer): Letter | undefined {
  try {
    // Splits at the first line break, because JSON text contains no raw one.
    const found = letter.indexOf(lineBreak);
    const end = found < 0 ? letter.length : found;
    decoder.add(textIn(letter.subarray(0, end)));
    for (let at = end + 1; at < letter.length;) {
      const from = at + lengthBytes;
      at = from + letter.readUInt32BE(at);
      decoder.add(letter.subarray(from, at));
    }
    return answers.letter.safeParse(parts).data;
  } catch {
    return undefined;
  } finally {
    decoder.destroy();
    parts = undefined;
  }
}

/** Size in bytes above which a message is stored instead of published, because Redis cuts a channel whose listener falls behind. */
const largeBytes = 131_072;
const partBytes = 1_048_576;
/** Tells whether a message is large; counts the bytes of a text only where its length does not tell, since that reads all of it. */
const isLarge = (letter: WrittenLetter): boolean =>
  letter.length > largeBytes || (letter.length * 3 > largeBytes && Buffer.byteLength(letter) > largeBytes);
/** Time in ms for which a large message is kept in Redis; a receiver that is paused for longer has lost its lease. */
const keptMs = 60_000;

interface LargeLimits {
  readonly standingBytes: number;
  readonly waitingBytes: number;
}
const largeLimits: LargeLimits = { standingBytes: 33_554_432, waitingBytes: 134_217_728 };

/** Called once. True: fetched; false: certainly not seen by any node; undefined: unknown. */
type Settled = (isFetched: boolean | undefined) => void;
interface Outgoing {
  readonly key: string;
  /** Encoded message; empty once its bytes were taken, because the text would take memory while it is stored. */
  letter: WrittenLetter;
  readonly announce: (key: string, bytes: number) => Promise<boolean>;
  readonly settled: Settled;
}
interface Standing extends Pick<Outgoing, 'settled'> {
  readonly bytes: number;
  readonly timer: ReturnType<typeof setTimeout>;
}
interface Lane {
  readonly waiting: Outgoing[];
  readonly standing: Map<string, Standing>;
  /** Used again for each message, so that no garbage collects outside of the heap. */
  readonly page: Buffer;
  isWriting: boolean;
}
const encoderOfText = new TextEncoder();
/** Valid until the next message to the same node is taken, because the buffer is used again. */
function takenBytes({ page }: Lane, outgoing: Outgoing): Buffer {
  const { letter } = outgoing;
  outgoing.letter = '';
  if (typeof letter !== 'string') return letter;
  const { read, written } = encoderOfText.encodeInto(letter, page);
  return read === letter.length ? page.subarray(0, written) : Buffer.from(letter);
}
const sumOf = (lengths: Iterable<number>): number => [...lengths].reduce((sum, one) => sum + one, 0);

/** Stored in Redis in parts, so that they fill no output buffer of Redis and do not delay small messages. */
export class LargeLetters {
  readonly #node: string;
  readonly #client: KeptClient<Client>;
  readonly #keys: Keys;
  readonly #limits: LargeLimits;
  readonly #lanes = new Map<string, Lane>();
  /** Chain of the fetches, one after the other, because each holds a whole message in memory. */
  #fetching: Promise<unknown> = Promise.resolve();
  #count = 0;

  constructor(node: string, client: KeptClient<Client>, keys: Keys, limits: LargeLimits = largeLimits) {
    this.#node = node;
    this.#client = client;
    this.#keys = keys;
    this.#limits = limits;
  }
  /** False when too much waits for this node already; `settled` is not called then. */
  send(node: string, letter: WrittenLetter, announce: Outgoing['announce'], settled: Settled): boolean {
    const lane: Lane = this.#lanes.get(node) ?? {
      waiting: [],
      standing: new Map(),
      page: Buffer.allocUnsafeSlow(partBytes),
      isWriting: false,
    };
    this.#lanes.set(node, lane);
    const waitingBytes = sumOf(lane.waiting.map((one) => one.letter.length));
    if (waitingBytes + letter.length > this.#limits.waitingBytes) return false;
    this.#count += 1;
    lane.waiting.push({ key: this.#keys.large(this.#node, this.#count), letter, announce, settled });
    void this.#write(lane);
    return true;
  }
  fetched(key: string): void {
    for (const lane of this.#lanes.values()) this.#settle(lane, key, true);
  }
  forget(node: string): void {
    const lane = this.#lanes.get(node);
    this.#lanes.delete(node);
    for (const { settled } of lane?.waiting.splice(0) ?? []) settled(false);
    for (const key of lane ? [...lane.standing.keys()] : []) {
      if (lane) this.#settle(lane, key, undefined);
      this.#client.now?.del(key).catch(() => {});
    }
  }
  close(): void {
    for (const node of [...this.#lanes.keys()]) this.forget(node);
    this.#client.close();
  }
  fetch(key: string, bytes: number): Promise<Buffer | undefined> {
    const fetched = this.#fetching.then(() => this.#fetch(key, bytes)).catch(() => undefined);
    this.#fetching = fetched;
    return fetched;
  }
  async #fetch(key: string, bytes: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    for (let at = 0; at < bytes; at += partBytes) {
      const part = await this.#part(key, at, at + partBytes >= bytes);
      if (part?.length !== Math.min(partBytes, bytes - at)) return undefined;
      parts.push(part);
    }
    return parts.length === 1 ? parts[0] : Buffer.concat(parts);
  }
  /** With the last part the message is removed. */
  async #part(key: string, from: number, isLast: boolean): Promise<Buffer | undefined> {
    const reading = this.#client.now?.pipeline().getrangeBuffer(key, from, from + partBytes - 1);
    const [answer] = (await (isLast ? reading?.del(key) : reading)?.exec()) ?? [];
    return Buffer.isBuffer(answer?.[1]) ? answer[1] : undefined;
  }
  #settle(lane: Lane, key: string, isFetched: boolean | undefined): void {
    const standing = lane.standing.get(key);
    if (!standing) return;
    lane.standing.delete(key);
    clearTimeout(standing.timer);
    standing.settled(isFetched);
    void this.#write(lane);
  }
  async #write(lane: Lane): Promise<void> {
    if (lane.isWriting) return;
    lane.isWriting = true;
    for (let next = this.#next(lane); next; next = this.#next(lane)) await this.#stand(lane, next);
    lane.isWriting = false;
  }
  #next(lane: Lane): Outgoing | undefined {
    const [first] = lane.waiting;
    const standing = sumOf([...lane.standing.values()].map(({ bytes }) => bytes));
    const isFull = standing > 0 && standing + (first?.letter.length ?? 0) > this.#limits.standingBytes;
    return isFull ? undefined : lane.waiting.shift();
  }
  async #stand(lane: Lane, outgoing: Outgoing): Promise<void> {
    const { key, announce, settled } = outgoing;
    const client = this.#client.now;
    const bytes = takenBytes(lane, outgoing);
    try {
      if (!client) return settled(false);
      await client.set(key, bytes.subarray(0, partBytes), 'PX', keptMs);
      for (let at = partBytes; at < bytes.length; at += partBytes)
        await client.append(key, bytes.subarray(at, at + partBytes));
    } catch {
      client?.del(key).catch(() => {});
      return settled(false);
    }
    const timer = setTimeout(() => this.#settle(lane, key, undefined), keptMs);
    lane.standing.set(key, { bytes: bytes.length, timer, settled });
    void announce(key, bytes.length).then(
      (isHeard) => isHeard || this.#settle(lane, key, false),
      () => this.#settle(lane, key, undefined),
    );
  }
}

type Hear = (news: RegisterNews) => void;
interface MailParts {
  readonly node: string;
  readonly keys: Keys;
  readonly counts: Clients['counts'];
  readonly commands: KeptClient<Client>;
  readonly bulk: KeptClient<Client>;
}
export class Mail {
  readonly #parts: MailParts;
  readonly #large: LargeLetters;
  /** Pending deliveries by socket: messages for one socket keep their order, so small ones wait for a large one before them. */
  readonly #ways = new Map<string, Promise<void>>();

  constructor(parts: MailParts) {
    this.#parts = parts;
    this.#large = new LargeLetters(parts.node, parts.bulk, parts.keys);
  }
  send(to: string, message: NodeMessage, told: RegisterCallback<boolean>): void {
    const { node, commands } = this.#parts;
    if (!commands.now) return told(false);
    let letter: WrittenLetter;
    try {
      letter = written([node, message]);
    } catch {
      // The encoding would fail again: a request counts as not sent, other messages are dropped.
      return told(message.type !== 'ask');
    }
    const { type } = message;
    if (!isLarge(letter)) return void this.#publish(to, letter, type).then(told, () => told(undefined));
    const head = headOf(message);
    const announce = (key: string, bytes: number): Promise<boolean> =>
      this.#publish(to, written([node, head, key, bytes]), type);
    if (this.#large.send(to, letter, announce, told)) return;
    if (message.type === 'ask') return told(false);
    if (message.type === 'answer') return this.send(to, { type: 'lost', id: message.id }, told);
    told(true);
  }
  /** Rejects when it is unknown whether the message was sent. */
  #publish(to: string, letter: WrittenLetter, type: NodeMessage['type']): Promise<boolean> {
    const { keys, commands, counts } = this.#parts;
    const client = commands.now;
    if (!client) return Promise.resolve(false);
    // A request counts as unsent only when it certainly reached no node; others may be sent twice.
    const isHeard = (listeners: number): boolean =>
      listeners > 0 || counts === 'none' || (counts === 'some' && type === 'ask');
    return client.publish(keys.mail(to), letter).then((said) => isHeard(answers.number.parse(said)));
  }
  receive(said: Buffer, hear: Hear, odd: () => void): void {
    const letter = read(said);
    if (!letter) return odd();
    if (letter[1] === null) return this.#large.fetched(letter[2]);
    const [from, message, key, bytes] = letter;
    const way = wayOf(from, message);
    const before = way === undefined ? undefined : this.#ways.get(way);
    if (key === undefined && !before) return hear({ type: 'message', from, message });
    if (key !== undefined && message.type === 'answer') hear({ type: 'coming', id: message.id });
    const whole = key === undefined ? message : this.#fetched(from, message, key, bytes);
    const come = Promise.all([whole, before]).then(([one]) => {
      if (way !== undefined && this.#ways.get(way) === come) this.#ways.delete(way);
      if (one) hear({ type: 'message', from, message: one });
    });
    if (way !== undefined) this.#ways.set(way, come);
  }
  async #fetched(from: string, head: Head, key: string, bytes: number): Promise<NodeMessage | undefined> {
    const { node, commands, keys } = this.#parts;
    const said = await this.#large.fetch(key, bytes);
    const letter = said && read(said);
    if (letter?.length === 2) {
      commands.now?.publish(keys.mail(from), written([node, null, key])).catch(() => {});
      return letter[1];
    }
    if (head.type === 'answer') return { type: 'lost', id: head.id };
    if (head.type === 'ask') this.send(from, { type: 'answer', id: head.id }, () => {});
    return undefined;
  }
  forget(node: string): void {
    this.#large.forget(node);
  }
  close(): void {
    this.#large.close();
  }
}
const headOf = (message: NodeMessage): object => {
  const { body: _body, ack: _ack, ids: _ids, ...head } = message as NodeMessage & Record<string, unknown>;
  return head;
};
const wayOf = (from: string, message: Head | NodeMessage): string | undefined =>
  message.type === 'ask' || message.type === 'notify' ? `${from} ${message.socket}` : undefined;
