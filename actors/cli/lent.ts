import type { SourceOptions } from './options.ts';
import { join, resolve } from 'node:path';
import { answersBy, foldersOf } from './answering.ts';
import type { CommandContext } from './context.ts';
import { lentServer, type LentServer } from '../door/caller.ts';
import { identityOf } from '../door/identity.ts';
import { Inputs } from '../servers/inputs.ts';
import { defaultStateDir } from '../../adapters/host-files.ts';
import type { Config } from '../../machines/config/parse.ts';

/** Options with which a call needs a host of its own, because they change the host or how its servers' questions are answered. */
const ofOwnHost = ['record', 'profile', 'tracing', 'log', 'logLevel', 'verbose', 'sampling', 'keyring'];
export interface AloneOptions extends SourceOptions {
  readonly alone?: boolean;
}
/** After the last call; 0 where the server is not kept. */
export const keptMsOf = ({ servers: [server], settings }: Config): number =>
  server?.settings.keepAliveMs ?? settings.keepAliveMs ?? 0;

/** Starts such a host in the background for `keepAlive`; undefined where the command has to start the server. */
export async function lentFor(
  context: CommandContext,
  options: AloneOptions,
  config: Config,
): Promise<LentServer | undefined> {
  const { terminal, folder = process.cwd() } = context;
  const [server, other] = config.servers;
  const isAlone = ofOwnHost.some(
    (name) => (options as Readonly<Record<string, unknown>>)[name] !== undefined,
  );
  if (!server || other || options.alone === true || isAlone || process.platform === 'win32') return undefined;
  const { name } = server;
  const stateDir = defaultStateDir();
  const answers = answersBy(terminal, options, foldersOf(config, folder));
  let known: Promise<readonly string[]> | undefined;
  const identities = (): Promise<readonly string[]> =>
    (known ??= identitiesOf(name, config, folder, answers));
  const find = (): Promise<LentServer | undefined> => lentServer(stateDir, name, identities, answers);
  const found = await find();
  const files = options.config ?? (config.file === undefined ? [] : [config.file]);
  const isFile = (file: string): boolean => file !== '-' && !file.trimStart().startsWith('{');
  const isKept = keptMsOf(config) > 0 && files.length > 0 && files.every(isFile);
  if (found || !isKept || (await identities()).length === 0) return found;
  let lent: LentServer | undefined;
  const { locked } = await import('../../adapters/storage/locked.ts');
  // Holds a lock, so that two calls at once start only one host.
  await locked(join(stateDir, 'keeping'), async () => {
    lent = await find();
    if (lent) return;
    const roots = (options.root ?? []).flatMap((root) => ['--root', root]);
    const configs = files.flatMap((file) => ['--config', resolve(folder, file)]);
    const words = ['keep', name, ...configs, ...roots];
    const { startInBackground } = await import('../../adapters/process/run-text.ts');
    const up = await startInBackground(words, folder);
    if (up === true) lent = await find();
    else terminal.err(`${name} is not kept: ${up}`);
  });
  return lent;
}
type Roots = ReturnType<typeof answersBy>['roots'];
/** Empty when the value of an input would have to be asked for. */
async function identitiesOf(
  name: string,
  config: Config,
  folder: string,
  answers: { readonly roots?: Roots },
): Promise<readonly string[]> {
  const inputs = new Inputs({ definitions: config.inputs, environment: process.env });
  const own =
    (await answers.roots?.({ server: name, calls: [], signal: new AbortController().signal }))?.map(
      ({ uri }) => uri,
    ) ?? null;
  const all = await Promise.all(
    [own, null].map((roots) => identityOf(name, config, { inputs, folder, roots })),
  );
  return all.filter((identity) => identity !== undefined);
}
