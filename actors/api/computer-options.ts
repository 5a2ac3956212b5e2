import type { ComputerEvents } from './computer-handle.ts';
import type { OfficeSeat, PlayedOffice } from './seat.ts';
import type { LogOptions } from '../logging/log-entry.ts';
import type { RecordOptions } from '../recording/flight-recorder.ts';
import type { AskInput } from '../servers/inputs.ts';
import type { TransportMaker, InMemoryServer } from '../servers/launch-specs.ts';
import type { Authorize, GiveAssertion, Launcher } from '../../adapters/index.ts';
import type { Permission } from '../../machines/call/permission.ts';
import { type Confirmation } from '../../machines/call/policy/index.ts';
import type { ToolAnnotations } from '../../machines/catalog/entries.ts';
import type { Timing } from '../../machines/kernel/timing.ts';

/** Options of a computer: its servers, its seat, and the callbacks that it asks. */
export interface ComputerOptions extends LogOptions {
  /** Default: the host name of the machine. */
  readonly name?: string;
  /** Any config that `docs/config.md` describes: one server, a list, a map, or a whole file's content. */
  readonly config?: unknown;
  /** Takes a seat there; without it the computer serves its own host only. */
  readonly office?: OfficeSeat;
  /** Confirms calls of tools that do not apply by themselves. Default `'deny'`. */
  readonly confirm?: Confirm;
  /**
   * Which calls run, are asked about, or are refused, in the place of our own rule (docs/calls.md): a word or a ruling, at
   * once or later. A rule that throws, or says none of the words, refuses.
   */
  readonly permission?: Permission;
  /** Gives the values of inputs (`${input:id}`) that the environment does not have. */
  readonly input?: AskInput;
  /**
   * Shows a person the login page of a remote server, `{server, url, signal}`, and may resolve with the address that
   * it redirected to; else the redirect to this machine is waited for, 10 min at most. `signal` aborts when the login
   * is not wanted any more. Without `authorize` a server that wants a login rests as `unauthorized` (docs/login.md).
   */
  readonly authorize?: Authorize;
  /**
   * Gives the JWT for servers with `oauth.grant: "jwt_bearer"` whose config names none, `{server, audience, signal}`:
   * a new one for each token, within 10 s. A rejection leaves the server `unauthorized` (docs/login.md).
   */
  readonly assertion?: GiveAssertion;
  /**
   * Servers of type `inmemory` by their name: what each is connected to. One of another type that is reached, not started, is
   * reached here, too, where it has the name: for tests, in the place of its URL.
   */
  readonly inMemory?: Readonly<Record<string, InMemoryServer>>;
  /** How servers of a type `own:…` are reached, by that type (docs/extend.md). */
  readonly transports?: Readonly<Record<`own:${string}`, TransportMaker>>;
  /** Answers servers that ask for roots, for a sample of a model or for a word of a person. */
  readonly answers?: Answers;
  /** Starts its servers. Default true; false: each waits for `startServer`, whatever its `start` says. */
  readonly autoConnect?: boolean;
  /**
   * Starts a server again that was lost, where its config does not say (`restart`). Default true. False also refuses
   * with 409 to change the launch config of a server that is active.
   */
  readonly autoReconnect?: boolean;
  /**
   * Delays in ms, in the place of the defaults and of `a2c.timeouts` at the top of the config. `toolsMs`: so long questions
   * about all servers (`tools()`, `resources()`, `prompts()`, `desktop()`, `finder()`, those of agents too) wait for
   * servers that start, from the start of the computer on; default 2,000, 0 = for none. `bootMs`: so long at most its
   * state is `booting`, default 15,000.
   */
  readonly timing?: Partial<Timing>;
  /** How servers come to life: in containers, behind ssh (docs/extend.md). Default `localLauncher`. */
  readonly launcher?: Launcher;
  /** Reaches offices in the place of sockets: that of `worldOf(trace)`, for tests. */
  readonly links?: PlayedOffice;
  /**
   * Keeps a small process beside this one that ends the servers should this one be killed. Default true. Programs
   * of one file and Electron apps have none: `onNotice` says so.
   */
  readonly reaper?: boolean;
  /**
   * Folder in which the next start finds the processes of a killed host. Default `$XDG_STATE_HOME/a2c`; `false`:
   * none.
   */
  readonly stateDir?: string | false;
  /** Options of the recording for a replay; on by default, in memory. `false`: nothing is recorded. */
  readonly record?: RecordOptions | false;
  /**
   * Hears of what is no failure but worth knowing, one line each; of every config that is given its warnings. `topic` is
   * `resources` for what Desktop and Finder show or leave out, `tools` for tools that are refused or called otherwise.
   */
  readonly onNotice?: (text: string, topic?: 'resources' | 'tools') => void;
  /**
   * Makes a span of OpenTelemetry of each call, and of each `tools/call` that is sent for it.
   * Needs the package `@opentelemetry/api`; where spans go the SDK says that your program sets up (docs/operate.md). Default false.
   */
  readonly tracing?: boolean;
  /** How many calls are remembered: `history()`, and whose windows and documents come first. Default 10. */
  readonly historySize?: number;
  /** Closes it when it aborts before `createComputer` has resolved; later it means nothing. */
  readonly signal?: AbortSignal;
  /** Hears what happens from the very start. */
  readonly onEvent?: <Name extends keyof ComputerEvents>(name: Name, value: ComputerEvents[Name]) => void;
}
/**
 * Answers of the host to servers that ask (MCP: roots, sampling, elicitation); `server` is the name in the config. A
 * method that is left out is not declared to servers. `signal` aborts when the answer is not wanted any more: the
 * server withdrew, two minutes have passed, or its session closed. A rejection is told to the server, without its
 * stack.
 */
export interface Answers {
  /** Folders that this server may look at, as `file://` URIs. */
  readonly roots?: (server: string) => readonly { readonly uri: string; readonly name?: string }[];
  /** The params of `sampling/createMessage`, and its result. */
  readonly sample?: (
    server: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ) => Promise<Readonly<Record<string, unknown>>>;
  /**
   * The params of `elicitation/create`, and its result: `{action: 'accept' | 'decline' | 'cancel', content?}`. What an accepted
   * content leaves out is filled with the defaults of the schema (SEP-1034).
   */
  readonly elicit?: (
    server: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ) => Promise<Readonly<Record<string, unknown>>>;
  /**
   * Elicitation with `mode: 'url'`: the server wants a person to open `params.url`. `accept` means that it will be
   * opened.
   */
  readonly elicitUrl?: (
    server: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ) => Promise<Readonly<Record<string, unknown>>>;
}

/** A call that wants to run and needs a person's word. */
export interface ConfirmQuestion {
  /** The id that the caller gave the call. */
  readonly reqId: string;
  /** The name of the agent that wants it to run, as its office knows it; null: the host of this computer. */
  readonly agent: string | null;
  /** Name of the server in the config. */
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  /** Title of the tool for people. */
  readonly title: string;
  /** A copy of what the tool is called with: changing it changes nothing. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Hints of the server about the tool. They come from a stranger, and promise nothing. */
  readonly annotations: ToolAnnotations | null;
  /**
   * Aborts when the question is no longer open: the call was cancelled, its time is over, or the computer closes. Its
   * `reason` is an `AbortError` whose message says which. What is answered then runs nothing.
   */
  readonly signal: AbortSignal;
}
/**
 * `allowForSession`: the caller is not asked about this tool of this server again. That is one agent until it leaves,
 * one conversation of a presenter, or the host itself (docs/calls.md).
 */
export type ConfirmAnswer = Confirmation['decision'] | Confirmation;
/**
 * Confirmation of calls: `'allow'` and `'deny'` answer all of them; a function asks somebody. A rejection is a denial
 * with its text; a rejection named `TimeoutError` means that no answer came in time.
 */
export type Confirm =
  | 'allow'
  | 'deny'
  | ((question: ConfirmQuestion) => Promise<ConfirmAnswer> | ConfirmAnswer);
