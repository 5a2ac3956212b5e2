/** Messages between the nodes of an office over Redis streams and keys. */
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
/** Tells whether a message is large; counts the bytes of a text only where its length does not tell, since that reads all of it. */
const isLarge = (letter: WrittenLetter): boolean =>
  letter.length > largeBytes || (letter.length * 3 > largeBytes && Buffer.byteLength(letter) > largeBytes);
/** Time in ms for which a large message is kept in Redis; a receiver that is paused for longer has lost its lease. */
const keptMs = 60_000;
/** Limit for all large messages together that one node has not fetched yet. */
const mostBytes = 160 * 1024 * 1024;

/** Called once. True: fetched; false: certainly not seen by any node; undefined: unknown. */
type Settled = (isFetched: boolean | undefined) => void;
type Announce = (key: string, bytes: number) => Promise<boolean>;
interface Outgoing {
  readonly node: string;
  readonly bytes: number;
  readonly settled: Settled;
  /** Set once it is stored. */
  timer?: ReturnType<typeof setTimeout>;
}

/** Over a connection of their own, one after the other, so that small messages overtake them. */
export class LargeLetters {
  readonly #node: string;
  readonly #client: KeptClient<Client>;
  readonly #keys: Keys;
  readonly #mostBytes: number;
  readonly #outgoing = new Map<string, Outgoing>();
  #storing: Promise<unknown> = Promise.resolve();
  /** Chain of the fetches, because each holds a whole message in memory. */
  #fetching: Promise<unknown> = Promise.resolve();
  #count = 0;

  constructor(node: string, client: KeptClient<Client>, keys: Keys, most = mostBytes) {
    this.#node = node;
    this.#client = client;
    this.#keys = keys;
    this.#mostBytes = most;
  }
  /** False when too much is on its way to this node already; `settled` is not called then. */
  send(node: string, letter: WrittenLetter, announce: Announce, settled: Settled): boolean {
    const bytes = Buffer.byteLength(letter);
    const before = [...this.#outgoing.values()].filter((one) => one.node === node);
    if (before.reduce((sum, one) => sum + one.bytes, bytes) > this.#mostBytes) return false;
    this.#count += 1;
    const key = this.#keys.large(this.#node, this.#count);
    this.#outgoing.set(key, { node, bytes, settled });
    this.#storing = this.#storing.then(() => this.#store(key, letter, announce));
    return true;
  }
  fetched(key: string): void {
    this.#settle(key, true);
  }
  forget(node: string): void {
    for (const [key, { node: to, timer }] of this.#outgoing) {
      if (to !== node) continue;
      this.#settle(key, timer ? undefined : false);
      this.#remove(key);
    }
  }
  close(): void {
    for (const { node } of this.#outgoing.values()) this.forget(node);
    this.#client.close();
  }
  /** Also removes it. */
  fetch(key: string, bytes: number): Promise<Buffer | undefined> {
    const fetched = this.#fetching
      .then(() => this.#client.now?.getdelBuffer(key))
      .then((letter) => (letter?.length === bytes ? letter : undefined))
      .catch(() => undefined);
    this.#fetching = fetched;
    return fetched;
  }
  async #store(key: string, letter: WrittenLetter, announce: Announce): Promise<void> {
    const outgoing = this.#outgoing.get(key);
    const client = this.#client.now;
    if (!outgoing) return;
    const isStored = await client?.set(key, letter, 'PX', keptMs).catch(() => undefined);
    if (!isStored) return this.#settle(key, false);
    if (!this.#outgoing.has(key)) return this.#remove(key);
    outgoing.timer = setTimeout(() => this.#settle(key, undefined), keptMs);
    void announce(key, outgoing.bytes).then(
      (isHeard) => isHeard || this.#settle(key, false),
      () => this.#settle(key, undefined),
    );
  }
  #settle(key: string, isFetched: boolean | undefined): void {
    const outgoing = this.#outgoing.get(key);
    this.#outgoing.delete(key);
    clearTimeout(outgoing?.timer);
    outgoing?.settled(isFetched);
  }
  #remove(key: string): void {
    this.#client.now?.del(key).catch(() => {});
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
