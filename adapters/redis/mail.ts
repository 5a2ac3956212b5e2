/** Messages between the nodes of an office over Redis streams and keys. */
import { isAscii } from 'node:buffer';
import type { Redis } from 'ioredis';
import { Decoder, Encoder, PacketType } from 'socket.io-parser';
import { answers, type Letter } from './answers.ts';
import { publish, run, store, type Clients, type KeptClient, type Keys } from './clients.ts';
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
/** Limit of the large messages together that wait for Redis in this process. */
const mostBytes = 160 * 1024 * 1024;

/** Redis has not done the command at all, such as without memory; nothing was published then. */
const isRefusal = (error: unknown): boolean => error instanceof Error && error.name === 'ReplyError';

type Hear = (news: RegisterNews) => void;
interface MailParts {
  readonly node: string;
  readonly keys: Keys;
  readonly counts: Clients['counts'];
  readonly commands: KeptClient;
  /** Its own connection for large messages, so that they delay no lease. */
  readonly bulk: KeptClient;
}
export class Mail {
  readonly #parts: MailParts;
  #count = 0;
  #waitingBytes = 0;
  /** Chain of the large messages to send: each has the whole time of a command. */
  #storing: Promise<unknown> = Promise.resolve();
  /** Chain of all that came since a large message that is still being fetched. */
  #fetching: Promise<void> | undefined;

  constructor(parts: MailParts) {
    this.#parts = parts;
  }
  send(to: string, message: NodeMessage, told: RegisterCallback<boolean>): void {
    const { node, keys, commands, bulk, counts } = this.#parts;
    let letter: WrittenLetter;
    try {
      letter = written([node, message]);
    } catch {
      // The encoding would fail again: a request counts as not sent, other messages are dropped.
      return told(message.type !== 'ask');
    }
    const isStored = isLarge(letter);
    const client = (isStored ? bulk : commands).now;
    if (!client) return told(false);
    // A request counts as unsent only when it certainly reached no node; others may be sent twice.
    const isHeard = (listeners: unknown): boolean =>
      answers.number.parse(listeners) > 0 ||
      counts === 'none' ||
      (counts === 'some' && message.type === 'ask');
    const published = isStored
      ? this.#inTurn(letter, () => this.#store(bulk.now ?? client, to, letter))
      : publish(client, keys.mail(to), letter);
    void published.then(isHeard).then(told, (error: unknown) => told(isRefusal(error) ? false : undefined));
  }
  #inTurn(letter: WrittenLetter, send: () => Promise<unknown>): Promise<unknown> {
    const bytes = Buffer.byteLength(letter);
    if (this.#waitingBytes + bytes > mostBytes) return Promise.resolve(0);
    this.#waitingBytes += bytes;
    const stored = this.#storing.then(send).finally(() => (this.#waitingBytes -= bytes));
    this.#storing = stored.catch(() => {});
    return stored;
  }
  #store(client: Redis, to: string, letter: WrittenLetter): Promise<unknown> {
    const { node, keys } = this.#parts;
    this.#count += 1;
    const key = keys.large(node, this.#count);
    return run(client, store, [key], [letter, String(keptMs), keys.mail(to), written([node, key])]);
  }
  receive(said: Buffer, hear: Hear, odd: () => void): void {
    const letter = read(said);
    if (!letter) return odd();
    const [from, message] = letter;
    if (typeof message !== 'string') return this.inOrder(() => hear({ type: 'message', from, message }));
    const before = this.#fetching ?? Promise.resolve();
    this.#wait(
      before.then(async () => {
        const whole = await this.#fetch(message);
        if (whole) hear({ type: 'message', from, message: whole });
      }),
    );
  }
  /** Runs it after all that came before, so that no news overtakes a large message. */
  inOrder(run: () => void): void {
    if (this.#fetching) this.#wait(this.#fetching.then(run));
    else run();
  }
  #wait(done: Promise<void>): void {
    const chain = done.finally(() => {
      if (this.#fetching === chain) this.#fetching = undefined;
    });
    this.#fetching = chain;
  }
  /** Also removes it. */
  async #fetch(key: string): Promise<NodeMessage | undefined> {
    const said = await this.#parts.bulk.now?.getdelBuffer(key).catch(() => null);
    const message = said ? read(said)?.[1] : undefined;
    return typeof message === 'object' ? message : undefined;
  }
  close(): void {
    this.#parts.bulk.close();
  }
}
