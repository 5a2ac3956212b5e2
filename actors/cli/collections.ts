import { withRemedy } from '../../machines/resources/remedies.ts';
import { invalidDpeUri } from '../../machines/resources/uri.ts';
import { collectionOfUri, isOtherUri } from '../../machines/resources/uri.ts';
import { wireCodes } from '../../machines/protocol/failure.ts';
import type { Config } from '../../machines/config/parse.ts';
import { A2cError } from '../kernel/errors.ts';
import type { Agent } from '../api/agent-handle.ts';
import type {
  Computer,
  DesktopShown,
  FinderShown,
  ResourceContent,
  Skill,
  SkillFile,
} from '../api/computer-handle.ts';
import type { ServerResources } from '../servers/server-handle.ts';
import { onlyServer, withAgent, withComputer, type OneShotOptions } from './one-shot.ts';
import {
  contentsText,
  desktopText,
  finderText,
  skillsText,
  skillText,
  tell,
  type AnswerText,
} from './printing/contents.ts';
import { readingFrom } from './printing/hints.ts';
import { exitCodeOf, hasUsable, orClosed } from './exit-codes.ts';
import { saved, type SaveOptions } from './files.ts';
import { configOf } from './source.ts';
import type { CommandContext } from './context.ts';

export interface DesktopQueryOptions {
  readonly size?: number;
  readonly window?: string;
  readonly fresh?: boolean;
}
export const desktopQuery = ({ size, window, fresh = false }: DesktopQueryOptions) => ({
  ...(size !== undefined && { size }),
  ...(window !== undefined && { window }),
  fresh,
});
export interface FinderQueryOptions {
  readonly keyword?: readonly string[];
  readonly type?: string;
  readonly offset?: number;
  readonly limit?: number;
  readonly fresh?: boolean;
}
export const finderQuery = ({ keyword, type, offset, limit, fresh = false }: FinderQueryOptions) => ({
  ...(keyword !== undefined && { keywords: keyword }),
  ...(type !== undefined && { fileType: type }),
  ...(offset !== undefined && { offset }),
  ...(limit !== undefined && { limit }),
  fresh,
});

interface Asking<T> {
  here(computer: Computer): Promise<T>;
  there(agent: Agent, computer: string, how: { readonly signal: AbortSignal }): Promise<T>;
}
async function show<T extends object>(
  context: CommandContext,
  options: OneShotOptions,
  ask: Asking<T>,
  textOf: (shown: T) => AnswerText,
  given?: Config,
): Promise<number> {
  const { signal, terminal } = context;
  let isUsable = true;
  const config = options.url === undefined ? (given ?? (await configOf(context, options))) : undefined;
  const here = async (computer: Computer): Promise<T> => {
    const answer = await orClosed(signal, computer, () => ask.here(computer));
    // Treats a config without servers as usable, because the question then needs no server.
    isUsable = config?.servers.length === 0 || hasUsable(context, computer.status().servers);
    return answer;
  };
  const shown = await (config
    ? withComputer(context, options, config, here, { isPartial: true })
    : withAgent(context, options, (agent, computer) => ask.there(agent, computer, { signal })));
  if (options.json) terminal.out(JSON.stringify(shown));
  else tell(terminal, textOf(shown));
  return exitCodeOf(signal, isUsable);
}

export function desktop(
  context: CommandContext,
  options: OneShotOptions & DesktopQueryOptions,
): Promise<number> {
  const query = desktopQuery(options);
  const ask: Asking<DesktopShown> = {
    here: (computer) => computer.desktop(query),
    there: async (agent, computer, how) => {
      const { desktops, missing } = await agent.desktop(computer, { ...query, ...how });
      return { desktops, missing };
    },
  };
  return show(context, options, ask, (shown) => desktopText(shown, options.window));
}
export function finder(
  context: CommandContext,
  options: OneShotOptions & FinderQueryOptions,
): Promise<number> {
  const query = finderQuery(options);
  const ask: Asking<FinderShown> = {
    here: (computer) => computer.finder(query),
    there: async (agent, computer, how) => {
      const { documents, total_count, missing } = await agent.finder(computer, { ...query, ...how });
      return { documents, total_count, missing };
    },
  };
  return show(context, options, ask, finderText);
}
export interface ReadOptions extends OneShotOptions, SaveOptions {
  readonly server?: string;
}
export async function read(context: CommandContext, uri: string, options: ReadOptions): Promise<number> {
  const collection = collectionOfUri(uri);
  const isOther = isOtherUri(uri);
  // Refuses a wrong URI before any server is started.
  if (!collection.ok) throw new A2cError(withRemedy(collection.failure));
  if (isOther && !URL.canParse(uri)) throw new A2cError(withRemedy(invalidDpeUri('scheme', uri)));
  const all = options.url === undefined ? await configOf(context, options) : undefined;
  const config = all && options.server !== undefined ? onlyServer(all, options.server) : all;
  const which = options.server === undefined ? {} : { server: options.server };
  const ask: Asking<{ readonly contents: readonly ResourceContent[] }> = {
    here: async (computer) => {
      const server =
        options.server ?? (isOther ? ownerOf(uri, await computer.resources(), options) : undefined);
      return { contents: await computer.readResource(uri, server === undefined ? {} : { server }) };
    },
    there: async (agent, computer, how) => ({
      contents: await agent.readResource(computer, uri, { ...how, ...which }),
    }),
  };
  let given: readonly ResourceContent[] = [];
  const textOf = ({ contents }: { readonly contents: readonly ResourceContent[] }): AnswerText =>
    contentsText((given = contents));
  const code = await show(context, options, ask, textOf, config);
  await saved(context, options, uri.split(/[/?#]+/).at(-1) ?? '', given);
  return code;
}
/** A config with one server uses it, because servers may have resources that they do not list. */
function ownerOf(uri: string, listed: readonly ServerResources[], options: ReadOptions): string {
  const owners = listed.filter(({ resources }) => resources.some((each) => each.uri === uri));
  const [owner, other] = owners.length > 0 ? owners : listed;
  if (owner && !other) return owner.server;
  const asked = owners.length > 0 ? owners : listed.filter(({ failure }) => failure === null);
  const names = asked.map(({ server }) => server);
  throw new A2cError({
    code: owners.length > 0 ? wireCodes.conflict : wireCodes.notFound,
    message: owners.length > 0 ? `Several servers have '${uri}'` : `No server lists '${uri}'`,
    details: { uri, servers: names },
    remedy: `Name the server: ${names.map((name) => readingFrom(options, name)(uri)).join(' or ')}`,
  });
}

/** Starts no server, because no skill needs one. */
async function showSkills<T extends object>(
  context: CommandContext,
  options: OneShotOptions,
  ask: Asking<T>,
  textOf: (shown: T) => AnswerText,
): Promise<number> {
  if (options.url !== undefined) return show(context, options, ask, textOf);
  const config = await configOf(context, options);
  return show(context, options, ask, textOf, { ...config, servers: [] });
}
export function skills(context: CommandContext, options: OneShotOptions): Promise<number> {
  const ask: Asking<{ readonly skills: readonly Skill[] }> = {
    here: async (computer) => ({ skills: await computer.skills.list() }),
    there: async (agent, computer, how) => ({ skills: await agent.skills.list(computer, how) }),
  };
  return showSkills(context, options, ask, (shown) => skillsText(shown.skills));
}
export interface SkillReadOptions extends OneShotOptions {
  readonly file?: string;
}
export function skill(context: CommandContext, name: string, options: SkillReadOptions): Promise<number> {
  const { file } = options;
  const which = file === undefined ? {} : { path: file };
  const ask: Asking<SkillFile> = {
    here: (computer) => computer.skills.read(name, which),
    there: (agent, computer, how) => agent.skills.read(computer, name, { ...how, ...which }),
  };
  return showSkills(context, options, ask, skillText);
}
