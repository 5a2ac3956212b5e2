import { A2cError } from './kernel/errors.ts';
import { during } from '../adapters/clock.ts';
import { wireCodes } from '../machines/protocol/failure.ts';
import type { Computer } from './api/computer-handle.ts';
import type { Inputs } from './servers/inputs.ts';
import type { Config } from '../machines/config/parse.ts';
import type { OfficePeer } from '../machines/office/rooms/limits.ts';
import type { Parts } from '../adapters/connections/link-requests.ts';
import type { Links } from '../adapters/socket/link.ts';
import type { Settings } from '../machines/config/schemas.ts';
import type { BlobFacts } from '../machines/blobs/blobs.rules.ts';
import type { RequestPort } from '../machines/kernel/ports.ts';
import type { RemoteSpec } from './servers/render.ts';
import type { Authorize, GiveAssertion, LoggedOut } from '../adapters/mcp/http/login.ts';
import type { Credentials } from '../adapters/mcp/http/remote.ts';
import type { Answers } from './api/computer-options.ts';
import type { Pages, ShownRuntime } from './api/page.ts';
import type { Transformer, TransformerTimes } from '../machines/call/transform.ts';
import type { Register, RegisterOptions } from '../machines/office/rooms/register.ts';

/** What hosts use beyond the core, each loaded at its first use. To take one out, remove its line and its folders. */
const extras: { readonly [Name in keyof Extras]?: () => Promise<Extras[Name]> } = {
  door: () => import('./door/host.ts'),
  files: () => import('../adapters/files/host-files.ts'),
  login: () => import('./login/logins.ts'),
  nodes: () => import('../adapters/redis/register.ts'),
  page: () => import('./inspector/inspections.ts'),
  vrl: () => import('../adapters/vrl/transformer.ts'),
};

/** Rejects where this copy of the package is without it. */
export async function extra<Name extends keyof Extras>(name: Name): Promise<Extras[Name]> {
  const load = extras[name];
  if (!load)
    throw new A2cError({ code: wireCodes.notSupported, message: `This copy of a2c-actors has no ${name}` });
  return during(load());
}

/** Facts about a host that lends its servers (`shared`) through a door: a socket for commands of its user. */
export interface HostDoor {
  readonly kind: 'up' | 'computer' | 'host' | 'keep' | 'serve';
  readonly onOpen?: () => void;
  readonly onUse?: (count: number) => void;
  readonly peers?: () => readonly OfficePeer[];
  /** Absent where a command may not end this host. */
  readonly stop?: () => void;
}
export interface Lent {
  readonly stateDir: string;
  readonly computer: Computer;
  /** Undefined where commands of this user may not use the server. */
  readonly configOf: (server: string) => Config | undefined;
  readonly inputs: Pick<Inputs, 'definitions' | 'values'>;
  /** Null where the host names no roots to the server. */
  readonly rootsOf: (server: string) => readonly string[] | null;
}
export interface Door {
  /** Accepts no further connections; those that are open stay. */
  shut(): void;
  close(): void;
}

export interface HostFilesOptions {
  readonly stateDir?: string | false | undefined;
  /** Keeps a part of a content until an agent has it. */
  readonly give: Links['holdPart'];
  readonly partOf: (ticket: string) => ReturnType<Parts['get']>;
  readonly notice: (text: string) => void;
  /** Called when a folder of skills has changed. */
  readonly changed: () => void;
}
interface Answering {
  readonly request: RequestPort;
}
/** Files of a host: folders of skills, the folder where files of agents land, and contents too large for an answer. */
export interface HostFiles {
  readonly skills: Answering;
  readonly landing: Answering;
  readonly blobs: Answering & {
    /** Undefined when there is no room, or the disk is full. */
    keep(bytes: Uint8Array, mimeType: string, reader: string): Promise<BlobFacts | undefined>;
    close(): Promise<void>;
  };
  /** Returns what the computer has to know of the landing folder; null for none. */
  set(settings: Pick<Settings, 'skills' | 'landing'>): {
    readonly idleMs: number;
    readonly isApproved: boolean;
  } | null;
  closeFolders(): Promise<void>;
}

export interface LoginsOptions {
  /** `false` keeps logins in memory, until this host ends. */
  readonly stateDir: string | false;
  readonly authorize: Authorize | undefined;
  /** JWT for a server whose config has none. */
  readonly assertion: GiveAssertion | undefined;
  readonly hide: (server: string, secrets: readonly string[]) => void;
  readonly now: () => number;
}
/** Logins of one host. */
export interface HeldLogins {
  readonly ask: RequestPort;
  /** Undefined when the config has its own `Authorization` header. */
  of(server: string, spec: RemoteSpec): Credentials | undefined;
  /** Undefined when no request has asked for its credentials yet. */
  logout(server: string): Promise<LoggedOut | undefined>;
  close(): void;
}

/** Refusal of the register of several nodes: wrong options, a credential that is not accepted, or nobody there. */
interface RegisterError extends Error {
  readonly kind: 'usage' | 'refused' | 'unreached';
  readonly remedy: string;
}
/** Contracts of the extras. */
export interface Extras {
  readonly door: {
    openHostDoor(host: HostDoor & Lent): Promise<Door>;
    answersThroughDoor(answers?: Answers, isAlways?: boolean): Answers;
  };
  readonly files: { readonly HostFiles: new (options: HostFilesOptions) => HostFiles };
  readonly login: { readonly Logins: new (options: LoginsOptions) => HeldLogins };
  readonly nodes: {
    redisRegister(options: RegisterOptions): Promise<Register>;
    readonly A2cRedisError: new (...given: never[]) => RegisterError;
  };
  readonly page: { readonly Inspections: new (runtime: ShownRuntime) => Pages };
  readonly vrl: { createTransformer(times: TransformerTimes): Transformer };
}
