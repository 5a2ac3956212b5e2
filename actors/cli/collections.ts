import { withRemedy } from '../../machines/resources/remedies.ts';
import { invalidDpeUri } from '../../machines/resources/dpe-uri.ts';
import { collectionOfUri, isOtherUri } from '../../machines/resources/uri-collection.ts';
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
import { listedBy } from './last-lists.ts';
import { onlyServer } from './named-server.ts';
import { withAgent, withComputer, type OneShotOptions } from './one-shot.ts';
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
import { saved } from './files.ts';
import type { DesktopQueryOptions, FinderQueryOptions, ReadWords, SkillWords } from './options.ts';
import { configOf } from './source.ts';
import type { CommandContext } from './context.ts';

/** What is asked of a computer, and how its answer is shown. */
export interface Question<T> {
  ask(of: Collections): Promise<T>;
  text(shown: T): AnswerText;
}
type Collections = Pick<Computer, 'desktop' | 'finder' | 'readResource' | 'skills'> &
  Partial<Pick<Computer, 'resources'>>;
/** Collections of a computer in an office. */
const collectionsOf = (agent: Agent, computer: string, signal: AbortSignal): Collections => ({
  desktop: (query) => agent.desktop(computer, { ...query, signal }),
  finder: (query) => agent.finder(computer, { ...query, signal }),
  readResource: (uri, which) => agent.readResource(computer, uri, { ...which, signal }),
  skills: {
    list: () => agent.skills.list(computer, { signal }),
    read: (name, which) => agent.skills.read(computer, name, { ...which, signal }),
  },
});
async function show<T extends object>(
  context: CommandContext,
  options: OneShotOptions,
  { ask, text }: Question<T>,
  given?: Config,
): Promise<number> {
  const { signal, terminal } = context;
  let isUsable = true;
  const config = options.url === undefined ? (given ?? (await configOf(context, options))) : undefined;
  const here = async (computer: Computer): Promise<T> => {
    const answer = await orClosed(signal, computer, () => ask(computer));
    // Treats a config without servers as usable, because the question then needs no server.
    isUsable = config?.servers.length === 0 || hasUsable(context, computer.status().servers);
    return answer;
  };
  const shown = await (config
    ? withComputer(context, options, config, here, { isPartial: true })
    : withAgent(context, options, (agent, computer) => ask(collectionsOf(agent, computer, signal))));
  if (options.json) terminal.out(JSON.stringify(shown));
  else tell(terminal, text(shown));
  return exitCodeOf(signal, isUsable);
}

export const desktopQuestion = ({ size, window, fresh }: DesktopQueryOptions): Question<DesktopShown> => ({
  ask: (of) => of.desktop({ size, window, fresh }),
  text: (shown) => desktopText(shown, window),
});
export const finderQuestion = ({
  keyword: keywords,
  type: fileType,
  offset,
  limit,
  fresh,
}: FinderQueryOptions): Question<FinderShown> => ({
  ask: (of) => of.finder({ keywords, fileType, offset, limit, fresh }),
  text: finderText,
});
export const desktop = (
  context: CommandContext,
  options: OneShotOptions & DesktopQueryOptions,
): Promise<number> => show(context, options, desktopQuestion(options));
export const finder = (
  context: CommandContext,
  options: OneShotOptions & FinderQueryOptions,
): Promise<number> => show(context, options, finderQuestion(options));
export type ReadOptions = OneShotOptions & ReadWords;
export async function read(context: CommandContext, uri: string, options: ReadOptions): Promise<number> {
  const collection = collectionOfUri(uri);
  const isOther = isOtherUri(uri);
  // Refuses a wrong URI before any server is started.
  if (!collection.ok) throw new A2cError(withRemedy(collection.failure));
  if (isOther && !URL.canParse(uri)) throw new A2cError(withRemedy(invalidDpeUri('scheme', uri)));
  const all = options.url === undefined ? await configOf(context, options) : undefined;
  const listed = all && isOther ? await listedBy(all, uri) : all;
  const config = all && options.server !== undefined ? onlyServer(all, options.server) : listed;
  const name = uri.split(/[/?#]+/).at(-1) ?? '';
  let given: readonly ResourceContent[] = [];
  const question: Question<{ readonly contents: readonly ResourceContent[] }> = {
    ask: async (of) => {
      const listed = isOther && options.server === undefined ? await of.resources?.() : undefined;
      const server = listed ? ownerOf(uri, listed, options) : options.server;
      return { contents: await of.readResource(uri, { server }) };
    },
    text: ({ contents }) => contentsText((given = contents)),
  };
  const code = await show(context, options, question, config);
  await saved(context, options, name, given);
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
  question: Question<T>,
): Promise<number> {
  if (options.url !== undefined) return show(context, options, question);
  const config = await configOf(context, options);
  return show(context, options, question, { ...config, servers: [] });
}
export const skills = (context: CommandContext, options: OneShotOptions): Promise<number> =>
  showSkills<{ readonly skills: readonly Skill[] }>(context, options, {
    ask: async (of) => ({ skills: await of.skills.list() }),
    text: (shown) => skillsText(shown.skills),
  });
export type SkillReadOptions = OneShotOptions & SkillWords;
export const skill = (context: CommandContext, name: string, options: SkillReadOptions): Promise<number> =>
  showSkills<SkillFile>(context, options, {
    ask: (of) => of.skills.read(name, { path: options.file }),
    text: skillText,
  });
