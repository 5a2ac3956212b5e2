import assert from 'node:assert/strict';
import type { Address } from '../../../machines/kernel/effects.ts';
import { isAnswer, type Emit, type RequestFact, type RequestPort } from '../../../machines/kernel/ports.ts';
import type { SessionFact, Waits } from '../../../machines/ports/session.ts';
import type { Rule } from '../contract.ts';
import { fits } from '../fits.ts';

/** Behaviour of an MCP server that every world of this contract can start. Tools are described at `ServerTool`. */
export type ServerBehaviour =
  /** Named `fixture`, version `1.2.3`, protocol `2025-06-18`; has every `ServerTool`. */
  | 'echo'
  /** Never answers `initialize`. */
  | 'mute'
  /** Answers `initialize` with the JSON-RPC error -32600 "not today". */
  | 'refuses'
  /** Answers `initialize` with the protocol version 1999-12-31. */
  | 'foreignVersion'
  /** Answers `initialize` with the JSON-RPC error -32602 "Unsupported protocol version" and `{supported: ['2999-01-01']}`. */
  | 'refusesVersion'
  /** Exits when it gets `initialize`. */
  | 'diesEarly'
  /** Answers `initialize` with `null`. */
  | 'malformedInitialize'
  /** Behaves like `echo` without the capability for tools. */
  | 'noTools'
  /** Lists the tool `first` and, on a second page, `second` and a tool without a name. */
  | 'pages'
  /** Lists pages without end, each of which names a next one. */
  | 'endlessPages'
  /**
   * Behaves like `echo` and declares every capability. Lists two pages of resources (`note://1`, `note://2`), of templates
   * (`note://{id}`, `page://{id}`) and of prompts (`greet`, `part`), each with one invalid entry. Any `note://…` can be read,
   * `greet` answers with one message, and completing `x` gives `xa` and `xb`. Any other URI is refused with -32002 "no such
   * resource" and the data `{uri}`; `huge://…` gets 5,000 characters `x` more, as `more`.
   */
  | 'full'
  /** Declares prompts but answers their methods as unknown. */
  | 'lacksPrompts';

/** Tool of the contract's servers. Each comment has its parameters in braces, if any, and its behaviour. */
export type ServerTool =
  /** `{text}`: answers with that text. */
  | 'echo'
  /** Answers `isError: true` with the text "no such thing". */
  | 'fail'
  /** Answers with the JSON-RPC error -32602 "bad arguments". */
  | 'error'
  /** `{label, late?}`: never answers; with `late`, answers when it is cancelled. */
  | 'hang'
  /**
   * Answers with JSON `{hanging: label[], cancelled: label[]}`, one entry for each call that hangs and each cancellation
   * received.
   */
  | 'seen'
  /** `{ms}`: answers after this many milliseconds. */
  | 'slow'
  /** `{bytes}`: answers with a text of this many bytes. */
  | 'big'
  /** Ends the process without an answer. */
  | 'die'
  /** Ends the stream while the process lives on. */
  | 'hangUp'
  /** Writes lines to stdout that are not messages, then answers "still here". */
  | 'garbage'
  /** Answers an unknown id with "wrong", its id as a string with "right", then its id with "late". */
  | 'stringId'
  /** Pings the client with the string id "1000000"; answers with the JSON of the client's answer. */
  | 'asksBack'
  /** `{list?}`: notifies that a list has changed, by default that of tools, then answers. */
  | 'change'
  /** `{uri}`: notifies that this resource has changed if it is subscribed, then answers. */
  | 'touch'
  /** Sends progress 1 and 2 of 2 with the messages "step 1" and "step 2", the answer, and then progress 3. */
  | 'work'
  /** `{text}`: the first call waits for the second, which is answered first; each answer is its own text. */
  | 'pair'
  /** Answers with the JSON list of all methods received. */
  | 'methods'
  /** Answers with the JSON of the `_meta` received with the call. */
  | 'meta'
  /** `{level, logger, data}`: sends this log message, then answers. */
  | 'log'
  /** `{method, params}`: sends this request to the client; answers with the JSON of `{result, error}`. */
  | 'askHost'
  /** Cancels the last request that it sent to the client. */
  | 'takeBack'
  /** Answers with `null` as the result. */
  | 'malformed';

/** Session behind the port under test. */
export interface ContractSession {
  /** Address by which requests are sent to the session. */
  readonly key: Address;
  /** Closes the session, after which no fact of it may come. */
  close(): void;
}
/** Environment in which the contract opens sessions and waits for them: real servers, or scripted ones on a virtual clock. */
export interface SessionWorld {
  /** Limit in bytes of one answer, at most 1 MiB so that a test can exceed it; a larger answer fails its request. */
  readonly resultBytes: number;
  /** Starts a server with this behaviour and opens the port under test on it; `emit` receives the facts. */
  open(behaviour: ServerBehaviour, emit: Emit<SessionFact>): ContractSession;
  /** Opens the port under test on a server process that does not exist. */
  openOnNothing(emit: Emit<SessionFact>): ContractSession;
  /** Sends a request to a session by its `key`, as machines do. */
  readonly ask: RequestPort;
  /** Resolves when messages that the server sends by itself can be received; optional. */
  ready?(): Promise<void>;
  /** Controls of a server that outlives its sessions; missing in other worlds. */
  readonly remote?: {
    /** Makes the server forget all sessions. */
    forget(): void;
    /** Makes the server refuse every further request with this HTTP status. */
    reject(status: 401 | 403): void;
  };
  /** Resolves once the condition holds; checked again after every fact. */
  until(holds: () => boolean): Promise<void>;
  /** Lets all servers end, and resolves to the number of cancellations that they received. */
  cancels(): Promise<number>;
  /** Ends all servers; resolves when no further fact can come. */
  settled(): Promise<void>;
  /** Ends everything that a failed case left running. */
  dispose(): Promise<void>;
}

/** Request with the facts that it received. */
interface Asked {
  readonly facts: readonly RequestFact[];
  readonly withdraw: () => void;
  readonly answer: () => Promise<RequestFact>;
}
export interface ObservedSession extends ContractSession {
  /** Without those about what it waits for: a handshake on a busy machine may take long. */
  readonly facts: readonly SessionFact[];
  waits(): Promise<Waits>;
  first(): Promise<SessionFact>;
  next(type: SessionFact['type']): Promise<void>;
  request(method: string, params?: object): Asked;
  call(tool: ServerTool, args?: object): Asked;
  text(tool: ServerTool, args?: object): Promise<string>;
}

export function observed(
  world: SessionWorld,
  open: (emit: Emit<SessionFact>) => ContractSession,
): ObservedSession {
  const facts: SessionFact[] = [];
  const waits: Waits[] = [];
  const session = open((fact) => (fact.type === 'session.waits' ? waits.push(fact.waits) : facts.push(fact)));
  let count = 0;
  const request = (method: string, params?: object): Asked => {
    const heard: RequestFact[] = [];
    const id = `q${(count += 1)}`;
    const request = { id, target: session.key, method, ...(params && { params }) };
    const withdraw = world.ask('contract', request, (fact) => heard.push(fact));
    const answers = (): RequestFact[] => heard.filter(({ type }) => isAnswer(type));
    const answer = async (): Promise<RequestFact> => {
      await world.until(() => answers().length > 0);
      fits(answers(), [{ id }]);
      return answers()[0] as RequestFact;
    };
    return { facts: heard, withdraw, answer };
  };
  const call = (name: ServerTool, args: object = {}): Asked =>
    request('tools/call', { name, arguments: args });
  return {
    key: session.key,
    close: () => session.close(),
    facts,
    first: async () => {
      await world.until(() => facts.length > 0);
      return facts[0] as SessionFact;
    },
    waits: async () => {
      await world.until(() => waits.length > 0);
      return waits[0] as Waits;
    },
    next: (type) => world.until(() => facts.some((fact) => fact.type === type)),
    request,
    call,
    text: async (tool, args) => {
      const fact = await call(tool, args).answer();
      const result = (fact.type === 'ask.answered' ? fact.result : { content: [] }) as ToolAnswer;
      return result.content[0]?.text ?? `no text in ${JSON.stringify(fact)}`;
    },
  };
}
interface ToolAnswer {
  readonly content: readonly { readonly text: string }[];
}

export interface Harness {
  readonly seen: (session: ObservedSession, expected: SeenByServer) => Promise<void>;
  readonly world: SessionWorld;
  readonly open: (behaviour: ServerBehaviour) => ObservedSession;
  readonly opened: (behaviour: ServerBehaviour) => Promise<ObservedSession>;
}

export interface SeenByServer {
  readonly hanging: readonly string[];
  readonly cancelled: readonly string[];
}
/** Asks repeatedly, because messages sent one after the other over HTTP may arrive in another order. */
export async function expectSeen(session: ObservedSession, expected: SeenByServer): Promise<void> {
  let seen: SeenByServer;
  do {
    seen = JSON.parse(await session.text('seen')) as SeenByServer;
  } while (seen.hanging.length + seen.cancelled.length < sizeOf(expected) || isEarly(seen, expected));
  assert.deepEqual({ ...seen, hanging: seen.hanging.toSorted() }, expected);
}
const sizeOf = ({ hanging, cancelled }: SeenByServer): number => hanging.length + cancelled.length;
const isEarly = (seen: SeenByServer, { cancelled }: SeenByServer): boolean =>
  seen.cancelled.length < cancelled.length;

/** Port under test, with a new world for each case. */
export interface SessionSubject {
  /** Creates a world without servers. */
  createWorld(): SessionWorld | Promise<SessionWorld>;
}
export const rule = (title: string, holds: Rule<Harness>['holds']): Rule<Harness> => ({ title, holds });
export const rules = <T extends string | number | readonly [string | number, ...unknown[]]>(
  all: readonly T[],
  title: string,
  holds: (harness: Harness, one: T) => Promise<void>,
): readonly Rule<Harness>[] =>
  all.map((one) =>
    rule(`${title}: ${String(Array.isArray(one) ? one[0] : one)}`, (harness) => holds(harness, one)),
  );

export async function inHarness({ createWorld }: SessionSubject, { holds }: Rule<Harness>): Promise<void> {
  const world = await createWorld();
  const open = (behaviour: ServerBehaviour) => observed(world, (emit) => world.open(behaviour, emit));
  try {
    await holds({
      seen: expectSeen,
      world,
      open,
      opened: async (behaviour) => {
        const session = open(behaviour);
        fits(await session.first(), { type: 'session.opened' });
        await world.ready?.();
        return session;
      },
    });
  } finally {
    await world.dispose();
  }
}
