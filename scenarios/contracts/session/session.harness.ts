import assert from 'node:assert/strict';
import type { Address } from '../../../machines/kernel/address.ts';
import {
  isAnswer,
  type Emit,
  type RequestFact,
  type RequestPort,
  type SessionFact,
  type Waits,
} from '../../../machines/kernel/ports.ts';
import type { Rule } from '../contract.ts';
import { fits } from '../fits.ts';

/** The servers that every world can start. What their tools do stands in `ServerTool`. */
export type ServerBehaviour =
  /** Named `fixture`, version `1.2.3`, protocol `2025-06-18`; has every `ServerTool`. */
  | 'echo'
  /** Never answers `initialize`. */
  | 'mute'
  /** Answers `initialize` with the JSON-RPC error -32600 "not today". */
  | 'refuses'
  /** Answers `initialize` with the version 1999-12-31. */
  | 'foreignVersion'
  /** Answers `initialize` with the JSON-RPC error -32602 "Unsupported protocol version" and `{supported: ['2999-01-01']}`. */
  | 'refusesVersion'
  /** Dies of `initialize`. */
  | 'diesEarly'
  /** Answers `initialize` with `null`. */
  | 'malformedInitialize'
  /** Same as `echo`, without the capability. */
  | 'noTools'
  /** Tools `first` and, on a second page, `second` and one without a name. */
  | 'pages'
  /** Pages that each name another one as the next, for ever. */
  | 'endlessPages'
  /**
   * Like `echo`, and declares everything. Two pages of resources `note://1` and `note://2`, of templates
   * `note://{id}` and `page://{id}`, of prompts `greet` and `part`, each with one broken entry more. Any `note://…`
   * can be read, `greet` answers with one message, a completion of `x` has `xa` and `xb`. Any other URI is refused
   * with -32002 "no such resource" and the data `{uri}`; with `huge://…` that has 5,000 characters `x` more, as
   * `more`.
   */
  | 'full'
  /** Declares prompts, and knows no method for them. */
  | 'lacksPrompts';

/** The tools that servers of the contract have, with their parameters and what they do. */
export type ServerTool =
  /** `{text}` → that text. */
  | 'echo'
  /** `isError: true` with the text "no such thing". */
  | 'fail'
  /** The JSON-RPC error -32602 "bad arguments". */
  | 'error'
  /** `{label, late?}`: never answers; with `late` it does when it is cancelled. */
  | 'hang'
  /** Text is JSON `{hanging: label[], cancelled: label[]}`, one entry for each notification that came. */
  | 'seen'
  /** `{ms}`: answers after so long. */
  | 'slow'
  /** `{bytes}` → a text of so many bytes. */
  | 'big'
  /** The process ends without an answer. */
  | 'die'
  /** The stream ends; the process lives. */
  | 'hangUp'
  /** Writes lines to stdout that are no messages, then answers "still here". */
  | 'garbage'
  /** Answers an unknown id with "wrong", its id as a string with "right", then its id with "late". */
  | 'stringId'
  /** Pings the client with the string id "1000000"; text is the JSON of the answer. */
  | 'asksBack'
  /** `{list?}`: says that this list has changed, by default its tools, then answers. */
  | 'change'
  /** `{uri}`: says that this resource has changed, if anybody subscribed to it, then answers. */
  | 'touch'
  /** Progress 1 and 2 of 2 with the messages "step 1" and "step 2", the answer, and progress 3. */
  | 'work'
  /** `{text}`: the first waits for the second, which is answered first; each with its text. */
  | 'pair'
  /** Text is the JSON of all methods that came. */
  | 'methods'
  /** Text is the JSON of the `_meta` that came with the call. */
  | 'meta'
  /** `{level, logger, data}`: says it in its log, then answers. */
  | 'log'
  /** `{method, params}`: asks us; text is the JSON of `{result, error}`. */
  | 'askHost'
  /** Withdraws what it asked last. */
  | 'takeBack'
  /** Answers with `null` for a result. */
  | 'malformed';

/** One session behind the port under test. */
export interface ContractSession {
  /** The name under which it is asked. */
  readonly key: Address;
  /** Ends it; no fact of it may come after that. */
  close(): void;
}
/** How the contract gets sessions and waits for them: real ones for an event, scripted ones by stepping a clock. */
export interface SessionWorld {
  /** A larger answer fails its question; at most 1 MiB, so that a test can make one. */
  readonly resultBytes: number;
  /** Starts a server that behaves so, and opens the port under test on it. */
  open(behaviour: ServerBehaviour, emit: Emit<SessionFact>): ContractSession;
  /** Opens the port under test on a process that there is not. */
  openOnNothing(emit: Emit<SessionFact>): ContractSession;
  /** Asks a session by its `key`, as machines do. */
  readonly ask: RequestPort;
  /** Resolves when what the server says by itself can be heard, too. */
  ready?(): Promise<void>;
  /** Present where a server outlives its sessions. */
  readonly remote?: {
    /** Forgets all sessions. */
    forget(): void;
    /** Refuses every request from now on with this HTTP status. */
    reject(status: 401 | 403): void;
  };
  /** Resolves once it holds; looked at again whenever a fact was given. */
  until(holds: () => boolean): Promise<void>;
  /** Lets all servers come to their end, and resolves to how many calls they were told to cancel. */
  cancels(): Promise<number>;
  /** Ends all servers; resolves when no fact can come any more. */
  settled(): Promise<void>;
  /** Ends everything that a failed case left. */
  dispose(): Promise<void>;
}

/** A question with the facts it was given. */
interface Asked {
  readonly facts: readonly RequestFact[];
  readonly withdraw: () => void;
  readonly answer: () => Promise<RequestFact>;
}
export interface ObservedSession extends ContractSession {
  /** But what it waits for: a handshake on a busy machine may take long. */
  readonly facts: readonly SessionFact[];
  /** First thing that the session says it waits for. */
  waits(): Promise<Waits>;
  /** The first fact, waited for. */
  first(): Promise<SessionFact>;
  next(type: SessionFact['type']): Promise<void>;
  request(method: string, params?: object): Asked;
  call(tool: ServerTool, args?: object): Asked;
  /** The text of the answer to a call. */
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

/** Tools of every rule. */
export interface Harness {
  readonly seen: (session: ObservedSession, expected: SeenByServer) => Promise<void>;
  readonly world: SessionWorld;
  readonly open: (behaviour: ServerBehaviour) => ObservedSession;
  /** Opened, and connected. */
  readonly opened: (behaviour: ServerBehaviour) => Promise<ObservedSession>;
}

/** Report of the tool `seen`. */
export interface SeenByServer {
  readonly hanging: readonly string[];
  readonly cancelled: readonly string[];
}
/** Over HTTP what was said one after the other may come in another order, so the server is asked until it has all. */
export async function expectSeen(session: ObservedSession, expected: SeenByServer): Promise<void> {
  let seen: SeenByServer;
  do {
    seen = JSON.parse(await session.text('seen')) as SeenByServer;
  } while (seen.hanging.length + seen.cancelled.length < sizeOf(expected) || isEarly(seen, expected));
  assert.deepEqual({ ...seen, hanging: seen.hanging.toSorted() }, expected);
}
const sizeOf = ({ hanging, cancelled }: SeenByServer): number => hanging.length + cancelled.length;
/** Something still hangs that was cancelled on its way. */
const isEarly = (seen: SeenByServer, { cancelled }: SeenByServer): boolean =>
  seen.cancelled.length < cancelled.length;

/** Port under test. Each case has a world of its own. */
export interface SessionSubject {
  /** A world without any server. */
  createWorld(): SessionWorld | Promise<SessionWorld>;
}
export const rule = (title: string, holds: Rule<Harness>['holds']): Rule<Harness> => ({ title, holds });
/** The same rule for each of these. */
export const rules = <T extends string | number | readonly [string | number, ...unknown[]]>(
  all: readonly T[],
  title: string,
  holds: (harness: Harness, one: T) => Promise<void>,
): readonly Rule<Harness>[] =>
  all.map((one) =>
    rule(`${title}: ${String(Array.isArray(one) ? one[0] : one)}`, (harness) => holds(harness, one)),
  );

/** Checks one rule with a world of its own, of which nothing is left afterwards. */
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
