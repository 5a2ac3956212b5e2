/** What the clients of one `a2c serve` share: the source of its servers, and the lists that they were shown. */
import { systemClock } from '../../adapters/clock.ts';
import { isObject, type Fields } from '../../machines/protocol/json.ts';
import { version } from '../../machines/version.ts';
import { offersOf, type Offers } from './offers.ts';
import type { Offered, Source } from './source.ts';

export interface Client {
  /** As the client said in `initialize`; undefined before that. */
  readonly identity: { readonly capabilities: Fields; readonly info: Fields } | undefined;
  tell(method: string, params?: Fields): void;
  heard(server: string, method: string, params: Fields): void;
  isSubscribed(server: string, uri: string): boolean;
  subscribeAgain(source: Source, server: string): Promise<void>;
  ask(method: string, params: Fields, signal: AbortSignal): Promise<Fields>;
  close(): void;
}
export interface Greeting {
  readonly serverInfo: Fields;
  readonly capabilities: Fields;
  readonly instructions?: string;
}
export interface KeptGreeting {
  read(server: string): Promise<Fields | undefined>;
  keep(server: string, greeting: Fields): void;
}
export interface HubOptions {
  readonly wrapped?: string | undefined;
  readonly greetings: KeptGreeting;
  /** Adds the tools by which a model sees and restarts servers. */
  readonly tools?: boolean | undefined;
  readonly entered?: (client: Client) => void;
  /** Resolves with the file of the trace that a call of unknown effect has caused; undefined without one. */
  readonly trace?: () => Promise<string | undefined>;
}

/** Longest wait in ms of `initialize` for a wrapped server that was never seen, since its own words are wanted. */
const greetingMs = 3_000;
/** Longest wait in ms of a list for the first lists of servers that were never seen. */
const listMs = 10_000;
/** Longest wait in ms of a request for a server that is starting. */
const comingMs = 60_000;
/** Longest pause in ms between looks at servers that are awaited. News end it, but an empty first list is none. */
const lookMs = 100;
/** Time in ms over which changes of lists are collected before clients are told. */
const calmMs = 200;
const kinds = ['tools', 'resources', 'resourceTemplates', 'prompts'] as const;
const words = { tools: 'tools', resources: 'resources', resourceTemplates: 'resources', prompts: 'prompts' };

const everything: Fields = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
};
function passedOn(declared: unknown): Fields {
  const known = isObject(declared) ? declared : {};
  const listed = (['tools', 'resources', 'prompts'] as const).flatMap((name) =>
    isObject(known[name]) ? [[name, { ...known[name], listChanged: true }] as const] : [],
  );
  return { ...known, ...Object.fromEntries(listed) };
}
const own = { name: 'a2c', title: 'a2c serve', version };

export class Hub {
  readonly options: HubOptions;
  readonly #clients = new Set<Client>();
  readonly #source: Promise<Source>;
  readonly #begun = systemClock.now();
  #offers: Promise<Offers> | undefined;
  #listed: Offers | undefined;
  #calm: unknown;
  #level: Fields | undefined;
  #forget = (): void => {};
  #isClosed = false;
  /** Ends of the pauses under way, whose timers would keep the process alive. */
  readonly #pauses = new Set<(why?: 'news') => void>();

  constructor(source: Promise<Source>, options: HubOptions) {
    this.options = options;
    this.#source = source;
    source.then(
      (opened) => {
        if (this.#isClosed) return;
        this.#forget = opened.listen({
          changed: () => this.#changed(),
          opened: (server) => void this.#opened(opened, server),
          notified: (server, method, params) => {
            for (const client of this.#clients) client.heard(server, method, params);
          },
        });
      },
      // Every request is answered with the reason.
      () => {},
    );
  }
  get source(): Promise<Source> {
    return this.#source;
  }
  get clients(): readonly Client[] {
    return [...this.#clients];
  }
  enter(client: Client): void {
    this.#clients.add(client);
  }
  entered(client: Client): void {
    this.options.entered?.(client);
  }
  leave(client: Client): void {
    this.#clients.delete(client);
  }
  /** A server knows one subscription for all clients, which ends with the last of them. */
  isSubscribed(server: string, uri: string): boolean {
    return [...this.#clients].some((client) => client.isSubscribed(server, uri));
  }
  close(): void {
    this.#isClosed = true;
    this.#forget();
    systemClock.clearTimeout(this.#calm);
    for (const end of this.#pauses) end();
    for (const client of [...this.#clients]) client.close();
  }

  /** With `isLook` the next news of a server ends it, too. */
  #sleep(ms: number, isLook = false): Promise<void> {
    return new Promise((resolve) => {
      const end = (why?: 'news'): void => {
        if (why === 'news' && !isLook) return;
        systemClock.clearTimeout(timer);
        this.#pauses.delete(end);
        resolve();
      };
      const timer = systemClock.setTimeout(() => end(), ms);
      this.#pauses.add(end);
    });
  }
  readonly #look = (): Promise<void> => this.#sleep(lookMs, true);
  #news(): void {
    for (const end of this.#pauses) end('news');
  }
  /** Also for a server that is tried again soon, as calls do. */
  async coming(server: string): Promise<void> {
    const source = await this.#source;
    const until = systemClock.now() + comingMs;
    const isComing = (): boolean => source.isComing(server) && systemClock.now() < until;
    while (!this.#isClosed && isComing()) await this.#look();
  }

  /** At once where the server is known from an earlier run. */
  async greeting(): Promise<Greeting> {
    const { wrapped, greetings } = this.options;
    if (wrapped === undefined) return { serverInfo: own, capabilities: everything };
    const known =
      (await greetings.read(wrapped)) ?? (await Promise.race([this.#said(wrapped), this.#sleep(greetingMs)]));
    if (!known) return { serverInfo: { ...own, name: wrapped }, capabilities: everything };
    const { serverInfo, capabilities, instructions } = known;
    return {
      serverInfo: isObject(serverInfo) ? serverInfo : own,
      capabilities: this.#withTools(passedOn(capabilities)),
      ...(typeof instructions === 'string' && { instructions }),
    };
  }
  #withTools(capabilities: Fields): Fields {
    return this.options.tools === true ? { ...capabilities, tools: { listChanged: true } } : capabilities;
  }
  async #said(server: string): Promise<Fields | undefined> {
    const source = await this.#source.catch(() => undefined);
    if (!source) return undefined;
    while (!this.#isClosed) {
      const said = await source.ask(server, 'initialize', {}, {}).catch(() => undefined);
      if (said || !source.isAwaited(server)) return said;
      await this.#look();
    }
    return undefined;
  }

  /** With the last known lists of servers that are not up. */
  async offers(): Promise<Offers> {
    const source = await this.#source;
    return (this.#offers ??= source
      .offered()
      .then((all) => offersOf(all, source.wrapped !== undefined))
      .catch((error: unknown) => {
        this.#offers = undefined;
        throw error;
      }));
  }
  /** Waits for servers whose list of this kind nobody has seen yet, within bounds. */
  async listed(kind: (typeof kinds)[number]): Promise<Offers> {
    const source = await this.#source;
    const isAwaited = ({ server, unread }: Offered): boolean =>
      unread.includes(kind) && source.isAwaited(server);
    const until = this.#begun + listMs;
    let all = await source.offered();
    while (!this.#isClosed && systemClock.now() < until && all.some(isAwaited)) {
      await this.#look();
      all = await source.offered();
    }
    this.#listed = offersOf(all, source.wrapped !== undefined);
    // An empty first list is no news.
    this.#offers = undefined;
    return this.#listed;
  }
  #changed(): void {
    this.#offers = undefined;
    this.#news();
    this.#calm ??= systemClock.setTimeout(() => void this.#tell(), calmMs);
  }
  async #tell(): Promise<void> {
    this.#calm = undefined;
    const before = this.#listed;
    if (!before) return;
    const now = await this.offers().catch(() => undefined);
    if (!now || this.#isClosed) return;
    const isOther = (kind: (typeof kinds)[number]): boolean =>
      now[kind].length !== before[kind].length ||
      now[kind].some((entry, n) => !isSame(entry, before[kind][n]));
    const changed = new Set(kinds.filter(isOther).map((kind) => words[kind]));
    if (changed.size > 0) this.#listed = now;
    for (const word of changed)
      for (const client of this.#clients) client.tell(`notifications/${word}/list_changed`);
  }
  async #opened(source: Source, server: string): Promise<void> {
    const said = await source.ask(server, 'initialize', {}, {}).catch(() => undefined);
    if (said) this.options.greetings.keep(server, said);
    if (this.#level) await source.ask(server, 'logging/setLevel', this.#level, {}).catch(() => {});
    for (const client of this.#clients) void client.subscribeAgain(source, server);
  }
  async setLevel(params: Fields): Promise<object> {
    const source = await this.#source;
    const all = source.servers().filter(({ state }) => state === 'ready');
    const answers = await Promise.allSettled(
      all.map(({ name }) => source.ask(name, 'logging/setLevel', params, {})),
    );
    const refused = answers.find((one) => one.status === 'rejected');
    if (source.wrapped !== undefined && refused) throw refused.reason;
    this.#level = params;
    return {};
  }
}
/** Entries that did not change are mostly the same object. */
const isSame = (one: Fields, other: Fields | undefined): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);
