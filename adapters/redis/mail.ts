import type { NodeMessage, RegisterNews, Told } from '../../machines/office/rooms/register.ts';
import type { Client, Clients } from './clients.ts';
import type { KeptClient } from './kept-client.ts';
import type { Keys } from './keys.ts';
import { largeBytes, LargeLetters } from './large-letters.ts';
import { read, written, type Letter as Written } from './letters.ts';

type Hear = (news: RegisterNews) => void;
/** Of a large one what it is stands here, and where the whole of it. `null`: what stood there was fetched. */
type Letter =
  | readonly [from: string, message: NodeMessage]
  | readonly [from: string, head: NodeMessage, key: string, bytes: number]
  | readonly [from: string, message: null, key: string];

export interface MailParts {
  readonly node: string;
  readonly keys: Keys;
  readonly counts: Clients['counts'];
  readonly commands: KeptClient<Client>;
  /** For what is large. */
  readonly bulk: KeptClient<Client>;
}
/** What this node says to others, and hears of them. */
export class Mail {
  readonly #parts: MailParts;
  readonly #large: LargeLetters;
  /** What comes to one connection comes in its order: what follows something large waits for it. */
  readonly #ways = new Map<string, Promise<void>>();

  constructor(parts: MailParts) {
    this.#parts = parts;
    this.#large = new LargeLetters(parts.node, parts.bulk, parts.keys);
  }
  send(to: string, message: NodeMessage, told: Told<boolean>): void {
    const { node, commands } = this.#parts;
    // What is known not to be sent may be sent again.
    if (!commands.now) return told(false);
    let letter: Written;
    try {
      letter = written([node, message]);
    } catch {
      // It would fail again: who asked is told so, and who waits for an answer finds that none comes.
      return told(message.type !== 'ask');
    }
    if (Buffer.byteLength(letter) <= largeBytes)
      return void this.#publish(to, letter, message).then(told, () => told(undefined));
    const announce = (key: string, bytes: number): Promise<boolean> =>
      this.#publish(to, written([node, headOf(message), key, bytes]), message);
    const bytes = typeof letter === 'string' ? Buffer.from(letter) : letter;
    if (this.#large.send(to, bytes, announce, told)) return;
    // Too much waits for this node.
    if (message.type === 'ask') return told(false);
    if (message.type === 'answer') return this.send(to, { type: 'lost', id: message.id }, told);
    told(true);
  }
  /** Rejects where nobody knows whether it was sent. */
  #publish(to: string, letter: Written, { type }: NodeMessage): Promise<boolean> {
    const { keys, commands, counts } = this.#parts;
    const client = commands.now;
    if (!client) return Promise.resolve(false);
    // That nobody listens at this server: of a question it must be certain that it went nowhere, the rest may be sent twice.
    const isHeard = (listeners: number): boolean =>
      listeners > 0 || counts === 'none' || (counts === 'some' && type === 'ask');
    return client.publish(keys.mail(to), letter).then(isHeard);
  }
  receive(said: Buffer, hear: Hear): void {
    const letter = read(said) as Letter | undefined;
    if (!letter) return;
    const [from, message, key, bytes = 0] = letter;
    if (message === null) return this.#large.fetched(letter[2]);
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
  /** Undefined: it is lost, and who sent it is told. */
  async #fetched(
    from: string,
    head: NodeMessage,
    key: string,
    bytes: number,
  ): Promise<NodeMessage | undefined> {
    const { node, commands, keys } = this.#parts;
    const said = await this.#large.fetch(key, bytes);
    const letter = said && (read(said) as Letter | undefined);
    if (letter?.[1]) {
      commands.now?.publish(keys.mail(from), written([node, null, key])).catch(() => {});
      return letter[1];
    }
    if (head.type === 'answer') return { type: 'lost', id: head.id };
    // It was not asked.
    if (head.type === 'ask') this.send(from, { type: 'answer', id: head.id }, () => {});
    return undefined;
  }
  /** This node lives no more. */
  forget(node: string): void {
    this.#large.forget(node);
  }
  close(): void {
    this.#large.close();
  }
}
/** All but what makes it large. */
const headOf = (message: NodeMessage): object => {
  const { body: _body, ack: _ack, ids: _ids, ...head } = message as NodeMessage & Record<string, unknown>;
  return head;
};
const wayOf = (from: string, message: NodeMessage): string | undefined =>
  message.type === 'ask' || message.type === 'notify' ? `${from} ${message.socket}` : undefined;
