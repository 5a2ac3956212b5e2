import type { Fields } from '../../protocol/json.ts';

/** What can be said of a server beside its name and type. */
export type Fact =
  | 'command'
  | 'args'
  | 'env'
  | 'cwd'
  | 'envFile'
  | 'url'
  | 'headers'
  | 'oauth'
  | 'off'
  | 'tools'
  | 'forbidden'
  | 'approved'
  | 'timeoutMs';
type Kind = 'stdio' | 'sse' | 'streamable';
/** How an application writes its servers. */
export interface Words {
  /** The key of the map, or of the list. */
  readonly at: string;
  readonly isList?: true;
  /** What stands beside it. */
  readonly around?: Fields;
  /** What each type is called; null: it is not written. One that is absent cannot be said. */
  readonly types: Partial<Readonly<Record<Kind, string | null>>>;
  /** The key of each fact, or what is written for it. A fact that is absent cannot be said. */
  readonly keys: Partial<Readonly<Record<Fact, string | ((value: unknown, kind: Kind) => Fields)>>>;
  /** What an entry has to have besides. */
  readonly finish?: (entry: Fields, name: string) => Fields;
  /** How it writes a variable of the environment. Default `${env:NAME}`. */
  readonly variable?: (name: string) => string;
  /** It fills in none. */
  readonly hasNoVariables?: true;
  /** It has our inputs. */
  readonly hasInputs?: true;
}
export const seconds = (value: unknown): number => Number(value) / 1000;
/** What most have: programs, and URLs with headers. */
export const common = {
  command: 'command',
  args: 'args',
  env: 'env',
  url: 'url',
  headers: 'headers',
} as const;
/** Names of tools; a group of ours is none. */
export const toolsAlone = (value: unknown): readonly string[] =>
  (value as readonly string[]).filter((name) => !['all', 'read', 'write'].includes(name));
