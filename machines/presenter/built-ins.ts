/** One server as its file has it: the keys of DeepChat (seed 004, section 4), or of any other client (docs/config.md). */
export interface MCPServerConfig {
  /** Executable of a `stdio` server. */
  readonly command?: string;
  /** Its arguments. */
  readonly args?: readonly string[];
  /** Its variables, beside those that every child has. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: `stdio` with a command, `http` with a URL. */
  readonly type?: 'stdio' | 'sse' | 'http' | 'inmemory' | (string & {});
  /** Of `sse` and `http`. */
  readonly baseUrl?: string;
  /** What each request to that has. */
  readonly customHeaders?: Readonly<Record<string, string>>;
  /** `all`, `read`, `write`, or names of tools. */
  readonly autoApprove?: readonly string[];
  /** For a screen: an emoji or a URL. */
  readonly icons?: string;
  /** For a screen: one sentence. */
  readonly descriptions?: string;
  /** It does not run, and cannot be started. */
  readonly disable?: boolean;
  readonly [key: string]: unknown;
}
/** What built-in servers are made of, which is not the same everywhere. */
export interface Surroundings {
  /** The home folder of the user. */
  readonly home: string;
  /** How the documents server is started over this folder. */
  readonly documents: (folder: string) => { readonly command: string; readonly args: readonly string[] };
}
const files = 'buildInFileSystem';

/** Servers that every presenter has until its user removes them (seed 004). Both are off at first. */
export const builtIns = ({ home }: Surroundings): Readonly<Record<string, MCPServerConfig>> => ({
  [files]: {
    type: 'inmemory',
    args: [home],
    autoApprove: ['read'],
    icons: '📁',
    descriptions: 'Lists, searches and reads text files below the home folder. It does not write.',
    disable: true,
  },
  Artifacts: {
    type: 'inmemory',
    icons: '🎨',
    descriptions: 'Not built: this version has no Artifacts. The name is kept for configs that have it.',
    disable: true,
  },
});
/** The folder of `buildInFileSystem`, or of one of its likes that a migration made (`buildInFileSystem-2`). */
export const documentsFolderOf = (name: string, { type, args }: MCPServerConfig): string | undefined => {
  const folder: unknown = Array.isArray(args) && args.length === 1 ? args[0] : undefined;
  const isOne = type === 'inmemory' && /^buildInFileSystem(?:-\d+)?$/.test(name);
  return isOne && typeof folder === 'string' && folder !== '' ? folder : undefined;
};
/** Under which names its folders are served, the first one under its own. */
export const documentsNames = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => (index === 0 ? files : `${files}-${index + 1}`));
