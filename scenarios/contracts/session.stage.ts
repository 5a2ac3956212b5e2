import { expect } from 'vitest';
import type { Address } from '../../machines/address.ts';
import type { AskFact, Give, Ports, SessionFact } from '../../machines/ports.ts';

/** The servers that every world can start. What their tools do stands in `ServerTool`. */
export type ServerBehaviour =
  /** Named `fixture`, version `1.2.3`, protocol `2025-06-18`; has every `ServerTool`. */
  | 'echo'
  /** Never answers `initialize`. */
  | 'mute'
  /** Answers `initialize` with the JSON-RPC error -32600 "not today". */
  | 'refuses'
  /** Dies of `initialize`. */
  | 'diesEarly'
  /** Answers `initialize` with `null`. */
  | 'malformedInitialize'
  /** As `echo`, without the capability. */
  | 'noTools'
  /** Tools `first` and, on a second page, `second` and one without a name. */
  | 'pages'
  /** One page that names itself as the next, for ever. */
  | 'endlessPages';

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
  /** `{bytes}` → a text of so many bytes. */
  | 'big'
  /** The process ends without an answer. */
  | 'die'
  /** The stream ends; the process lives. */
  | 'hangUp'
  /** Writes lines to stdout that are no messages, then answers "still here". */
  | 'garbage'
  /** Answers its id as a string with "wrong", an unknown id with "wrong", then its id with "right". */
  | 'stringId'
  /** Pings the client with the string id "1000000"; text is the JSON of the answer. */
  | 'asksBack'
  /** Says `tools/list_changed`, then answers. */
  | 'change'
  /** Answers with `null` for a result. */
  | 'malformed';

export interface ContractSession {
  /** The name under which it is asked. */
  readonly key: Address;
  close(): void;
}
/** How the contract gets sessions and waits for them: real ones for an event, scripted ones by stepping a clock. */
export interface SessionWorld {
  /** A larger answer fails its question; at most 1 MiB, so that a test can make one. */
  readonly resultBytes: number;
  /** Starts a server that behaves so, and opens the port under test on it. */
  open(behaviour: ServerBehaviour, give: Give<SessionFact>): ContractSession;
  /** Opens the port under test on a process that there is not. */
  openOnNothing(give: Give<SessionFact>): ContractSession;
  readonly ask: Ports['ask'];
  /** Resolves once it holds; looked at again whenever a fact was given. */
  until(holds: () => boolean): Promise<void>;
  /** Lets all servers come to their end, and resolves to how many calls they were told to cancel. */
  cancels(): Promise<number>;
  /** Ends all servers; resolves when no fact can come any more. */
  settled(): Promise<void>;
  dispose(): Promise<void>;
}

/** A question with the facts it was given. */
interface Asked {
  readonly facts: readonly AskFact[];
  readonly withdraw: () => void;
  readonly answer: () => Promise<AskFact>;
}
export interface ObservedSession extends ContractSession {
  readonly facts: readonly SessionFact[];
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
  open: (give: Give<SessionFact>) => ContractSession,
): ObservedSession {
  const facts: SessionFact[] = [];
  const session = open((fact) => facts.push(fact));
  let count = 0;
  const request = (method: string, params?: object): Asked => {
    const heard: AskFact[] = [];
    const id = `q${(count += 1)}`;
    const question = { id, session: session.key, method, ...(params && { params }) };
    const withdraw = world.ask('contract', question, (fact) => heard.push(fact));
    const answer = async (): Promise<AskFact> => {
      await world.until(() => heard.length > 0);
      expect(heard).toHaveLength(1);
      expect(heard[0]?.id).toBe(id);
      return heard[0] as AskFact;
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

/** What the chapters below share. */
export interface Stage {
  readonly world: () => SessionWorld;
  readonly open: (behaviour: ServerBehaviour) => ObservedSession;
  readonly opened: (behaviour: ServerBehaviour) => Promise<ObservedSession>;
}
