/** Options of `createComputer`, and the functions by which a host answers its servers. */
import type { ConfigInput } from '../../machines/config/config-input.ts';
import type { ComputerEvents } from './computer-handle.ts';
import type { HostOptions } from './handles.ts';
import type { OfficeSeat, PlayedOffice } from './seat.ts';
import type { AskInput } from '../servers/inputs.ts';
import type { TransportMaker, InMemoryServer } from '../servers/host-servers.ts';
import type { Authorize, GiveAssertion } from '../../adapters/mcp/http/login.ts';
import type { Launcher } from '../../adapters/process/launcher.ts';
import type { Permission } from '../../machines/call/policy/permission.ts';
import type { KnownCall } from '../../machines/call/history.ts';
import type { Confirmation } from '../../machines/call/policy/policy.ts';
import type { ToolAnnotations } from '../../machines/catalog/entries.ts';
import type { GivenTiming } from '../../machines/kernel/timing.ts';

/** Options of a computer: its servers, its seat, and the callbacks that it asks. */
export interface ComputerOptions extends HostOptions {
  /** Name of the computer. Default: the host name of the machine. */
  readonly name?: string | undefined;
  /**
   * Config of the servers in any form that `docs/config.md` describes: one server, a list, a map, or the content
   * of a whole file.
   */
  readonly config?: ConfigInput | undefined;
  /**
   * Office in which the computer takes a seat; without it the computer serves its own host only. `createComputer`
   * rejects when the seat is refused or no office is there, unless `keepTrying` is set here.
   */
  readonly office?: OfficeSeat | undefined;
  /**
   * Confirmation of the calls that the rule (`permission`) does not allow without one. Without it they are refused.
   * Equal questions (one caller, one tool) are asked one after another, so that `allowForSession` answers all of them.
   */
  readonly confirm?: Confirm | undefined;
  /**
   * Rule that decides which calls run, need a confirmation, or are refused, in place of our own rule
   * (docs/calls.md). Returns a decision or a ruling, or a promise of one. A rule that throws, or that returns an
   * unknown word, refuses the call.
   */
  readonly permission?: Permission | undefined;
  /** Gives the values of inputs (`${input:id}`) that the environment does not have. */
  readonly input?: AskInput | undefined;
  /**
   * Called with `{server, url, signal}` to show a person the login page of a remote server. May resolve with the
   * address to which the page redirected; otherwise the redirect to this machine is awaited, for at most 10 min.
   * `signal` aborts when the login is not wanted any more. Without `authorize`, a server that wants a login rests as
   * `unauthorized` (docs/login.md).
   */
  readonly authorize?: Authorize | undefined;
  /**
   * Called with `{server, audience, signal}` for each token of a server with `oauth.grant: "jwt_bearer"` whose config
   * names no JWT; returns a new one within 10 s. A rejection leaves the server `unauthorized` (docs/login.md).
   */
  readonly assertion?: GiveAssertion | undefined;
  /**
   * Servers of type `inmemory` by name, with the object to which each is connected. In tests, a remote server with a
   * name of this map is connected to the object, too, in place of its URL.
   */
  readonly inMemory?: Readonly<Record<string, InMemoryServer>> | undefined;
  /** Makers of transports for servers of a type `own:…`, by that type (docs/extend.md). */
  readonly transports?: Readonly<Record<`own:${string}`, TransportMaker>> | undefined;
  /** Answers to servers that ask for roots, for a sample of a model, or for an input of a person. */
  readonly answers?: Answers | undefined;
  /**
   * Starts the servers when the computer starts. Default true. With false each server waits for `startServer`,
   * whatever its setting `start` is.
   */
  readonly autoConnect?: boolean | undefined;
  /**
   * Restarts a server that was lost, unless its config says otherwise (`restart`). Default true. With false, a
   * change of the launch config of an active server is refused with `Conflict`.
   */
  readonly autoReconnect?: boolean | undefined;
  /**
   * Delays in ms that replace the defaults; those of servers yield to `a2c.timeouts` of a config. `toolsMs`: how long
   * questions about all servers (`tools()`, `resources()`, `prompts()`, `desktop()`, `finder()`, also from agents)
   * wait for starting servers, counted from the start of the computer; default 2,000, 0 does not wait. `bootMs`:
   * longest time in the state `booting`, default 15,000.
   */
  readonly timing?: GivenTiming | undefined;
  /** Launches servers, for example in containers or over ssh (docs/extend.md). Default `localLauncher`. */
  readonly launcher?: Launcher | undefined;
  /** Office in place of real ones, for tests: `worldOf(trace)` plays it from a recording. */
  readonly links?: PlayedOffice | undefined;
  /**
   * Runs a small process beside this one that ends the servers when this process is killed. Default true.
   * Single-file programs and Electron apps cannot have one; `onNotice` reports that.
   */
  readonly reaper?: boolean | undefined;
  /**
   * Lends the servers to `a2c call` of the same user, which then starts none of its own: over a socket that only this
   * user can open, and only where its config, inputs, environment, folder and roots are the same (docs/cli.md). A host
   * with a `launcher` or a `permission` of its own, and one on Windows, lends none. Default false.
   */
  readonly shared?: boolean | undefined;
  /**
   * Folder with notes by which the next start finds the processes of a killed host. Default `$XDG_STATE_HOME/a2c`;
   * `false` keeps none.
   */
  readonly stateDir?: string | false | undefined;
  /**
   * Takes notices that are no failures, one line each, among them the warnings about each given config. `topic` is
   * `resources` for parts that Desktop or Finder leave out, and `tools` for tools that are refused or renamed.
   */
  readonly onNotice?: ((text: string, topic?: 'resources' | 'tools') => void) | undefined;
  /** Listener to all events of the computer from its start on. */
  readonly onEvent?:
    | (<Name extends keyof ComputerEvents>(name: Name, value: ComputerEvents[Name]) => void)
    | undefined;
}
/**
 * Question of a server to its host. MCP does not say which of its calls a question belongs to, so `calls` has all calls
 * that the server runs when it asks.
 */
export interface ServerQuestion {
  /** Name of the server in the config. */
  readonly server: string;
  /** Calls that the server runs, of all callers, the oldest first, each with its own `context`; none when it asks by itself. */
  readonly calls: readonly KnownCall[];
  /** Context of the calls in `calls` where all have an equal one; absent where several callers may be meant. */
  readonly context?: unknown;
  /**
   * Signal that aborts when the answer is not wanted any more: the server withdrew, two minutes have passed, or its session
   * closed.
   */
  readonly signal: AbortSignal;
}
/** Question of a server with the params of MCP. */
export interface AskedWith<Params> extends ServerQuestion {
  /** Params of the request, as the server sent them. */
  readonly params: Params;
}
/** Params of `elicitation/create` for a form. */
export interface ElicitParams {
  /** Kind of the question; a form by default. */
  readonly mode?: 'form';
  /** Text for the person. */
  readonly message: string;
  /** JSON Schema of the form: an object of plain fields. */
  readonly requestedSchema: Readonly<Record<string, unknown>>;
  readonly [more: string]: unknown;
}
/** Params of `elicitation/create` for a page that the person opens. */
export interface ElicitUrlParams {
  /** Kind of the question. */
  readonly mode: 'url';
  /** Text for the person. */
  readonly message: string;
  /** Address of the page. */
  readonly url: string;
  readonly [more: string]: unknown;
}
/** Result of an elicitation. Missing values of an accepted content get the defaults of the schema (SEP-1034), unless `capabilities` are given without `elicitation.form.applyDefaults`. */
export interface ElicitAnswer {
  /** Action of the person. */
  readonly action: 'accept' | 'decline' | 'cancel';
  /** Values of the form by the names of its fields. */
  readonly content?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}
/** Params of `sampling/createMessage`. */
export interface SampleParams {
  /** Messages so far. */
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: unknown }[];
  /** Largest number of tokens of the answer. */
  readonly maxTokens: number;
  /** Prompt of the system that the server wants. */
  readonly systemPrompt?: string;
  readonly [more: string]: unknown;
}
/** Result of `sampling/createMessage`. */
export interface SampleAnswer {
  /** Speaker of the answer. */
  readonly role: 'user' | 'assistant';
  /** Content of the answer, such as `{ type: 'text', text }`. */
  readonly content: { readonly type: string; readonly [field: string]: unknown } | readonly object[];
  /** Model that answered, by the name that its provider gives it. */
  readonly model: string;
  /** Reason why the model stopped, such as `endTurn`. */
  readonly stopReason?: string;
}
/** Folder that a server may look at. */
export interface Root {
  /** URI of the folder, `file://…`. */
  readonly uri: string;
  /** Name of the folder, for people. */
  readonly name?: string;
}
/**
 * Answers of the host to servers that ask (MCP: roots, sampling, elicitation). A method that is left out is not declared to
 * servers. A rejection is reported to the server, without its stack.
 */
export interface Answers {
  /**
   * Capabilities that are declared to servers. Default: those of the methods that are there; a host that passes the questions
   * on to another client declares what that one has.
   */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
  /** Returns the folders that this server may look at, or a promise of them. */
  readonly roots?: ((question: ServerQuestion) => readonly Root[] | Promise<readonly Root[]>) | undefined;
  /** Lets a model of the host answer. */
  readonly sample?: ((question: AskedWith<SampleParams>) => Promise<SampleAnswer>) | undefined;
  /** Lets a person fill in a form. */
  readonly elicit?: ((question: AskedWith<ElicitParams>) => Promise<ElicitAnswer>) | undefined;
  /** Lets a person open a page. The action `accept` means that it will be opened. */
  readonly elicitUrl?: ((question: AskedWith<ElicitUrlParams>) => Promise<ElicitAnswer>) | undefined;
}

/** Call that needs the confirmation of a person before it runs. */
export interface ConfirmQuestion {
  /** Id that the caller gave the call. */
  readonly reqId: string;
  /** Name of the agent that makes the call, as its office knows it; null for the host of this computer. */
  readonly agent: string | null;
  /** Context that the host gave the call; absent for calls of agents, and when the host gave none. */
  readonly context?: unknown;
  /** Name of the server in the config. */
  readonly server: string;
  /** Name of the tool on its own server, without a prefix or an alias. */
  readonly tool: string;
  /** Title that the server gives the tool, else its name. It may say anything: show `tool` first, and this as words of the server. */
  readonly title: string;
  /** Copy of the tool's arguments; a change of it has no effect on the call. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Hints of the server about the tool. They come from a third party and guarantee nothing. */
  readonly annotations: ToolAnnotations | null;
  /**
   * Signal that aborts when the question is no longer open: the call was cancelled, its time is over, or the
   * computer closes. Its `reason` is an `AbortError` whose message says which. A later answer runs nothing.
   */
  readonly signal: AbortSignal;
}
/**
 * Decision of a person about a call. After `allowForSession` the caller is not asked about this tool of this
 * server again; the caller is one agent until it leaves, one conversation of a presenter, or one `sessionKey` or
 * `context` of the host itself (docs/calls.md).
 */
export type ConfirmAnswer = Confirmation['decision'] | Confirmation;
/**
 * Confirmation of calls: `'allow'` and `'deny'` decide all of them, a function decides each. A rejected promise
 * denies the call, with its text as the reason; an error named `TimeoutError` means that no answer came in time.
 */
export type Confirm =
  | 'allow'
  | 'deny'
  | ((question: ConfirmQuestion) => Promise<ConfirmAnswer> | ConfirmAnswer);
