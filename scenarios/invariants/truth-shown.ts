import { keyOf } from '../../machines/kernel/address.ts';
import type { ComputerContext } from '../../machines/computer/computer.machine.ts';
import type { ResourcesTruth } from '../stage/scripted/script.ts';
import { isWindowUri } from '../../machines/resources/desktop/index.ts';
import { isDpeUri } from '../../machines/resources/finder/index.ts';
import {
  systems,
  type AggregateShown,
  type Items,
  type System,
} from '../../machines/resources/systems/index.ts';
import { events } from '../../machines/protocol/events.ts';
import { offersOf, type Truth } from '../stage/scripted/script.ts';
import type { Stage } from '../stage/stage.ts';

/** Only a stage knows both what servers have and what a computer and its agents are shown of it. */
export const showsTheTruth = 'a computer shows what its servers have, to its host and to agents';

const both: readonly System[] = ['desktop', 'finder'];
const methods = { desktop: events.getDesktop, finder: events.getFinder } as const;
/** As many as there may be. */
const queries = { desktop: {}, finder: { limit: 100 } } as const;
const ticketOf = (system: System): string => `truth.${system}`;

const contextOf = <Context>(stage: Stage, address: string): Context | undefined =>
  (stage.directory.find(address)?.ref.getSnapshot() as { context: Context } | undefined)?.context;

/** What is known of one server: what its last reads gave. */
interface Held {
  readonly uris: readonly string[];
  readonly slots: readonly (readonly (Items & { readonly failure: unknown; readonly round: number })[])[];
}
interface Server {
  readonly name: string;
  readonly truth: ResourcesTruth;
  /** As it would list them, or, where nobody could know of the last change, as they are known. */
  readonly uris: readonly string[];
}

const isKnowable = ({ isListed, isTold }: ResourcesTruth, isHeard: boolean, c: ComputerContext): boolean =>
  isListed || (isHeard ? isTold || c.timing.pollDeclaredMs > 0 : c.timing.pollMs > 0);
/** Who is ready, takes part, and is one of whom a stage knows the truth. */
function serversOf(stage: Stage, c: ComputerContext): Server[] {
  return c.servers.flatMap(({ rules: { server: name }, client }): Server[] => {
    const script = c.stages[name] === 'ready' ? stage.servers.behind(name) : undefined;
    const truth: Truth | undefined = script?.truth?.();
    const { resources } = script ? offersOf(script) : { resources: null };
    if (!truth || resources?.subscribe !== true) return [];
    const isHeard = resources.listChanged && client.hearsChanges;
    const known = (c.resources[name] ?? []).map(({ uri }) => uri);
    const uris = isKnowable(truth.resources, isHeard, c) ? truth.resources.uris : known;
    return [{ name, truth: truth.resources, uris }];
  });
}
/** What one server has to show, and whether that is all: where it has lied, what it said. */
function shownOf(stage: Stage, system: System, { name, truth, uris }: Server) {
  const { urisIn, refusedIn, toRead, itemsOf } = systems[system];
  const held = contextOf<Held>(stage, `computer/${system}/shelf:${keyOf(name)}`);
  const read = toRead(urisIn(uris.map((uri) => ({ uri })))).map((uri) => {
    const known = held?.slots.flat()[held.uris.indexOf(uri)];
    const contents = truth.read(uri);
    // It has changed, or vanished, without a word.
    const isSecret = contents.length === 0 || !truth.isKnowable(uri);
    if (isSecret && known && known.round > 0 && !known.failure) return { ok: true, body: known } as const;
    return contents.length === 0 ? ({ ok: false } as const) : itemsOf(contents, uri, name);
  });
  const isTaken = refusedIn(uris.map((uri) => ({ uri }))).length === 0;
  const isWhole = isTaken && read.every((one) => one.ok && one.body.refused.length === 0);
  return { name, items: read.flatMap((one) => (one.ok ? one.body.items : [])), isWhole };
}

/** What somebody is shown, and what was wrong about it; undefined: he was not answered. */
interface Answer {
  readonly body: object;
  readonly missing: readonly string[];
}
const waitFor = (stage: Stage, isThere: () => boolean, patienceMs: number): void => {
  for (let ms = 0; ms < patienceMs && !isThere(); ms += 10) stage.run(10);
};
function shownToHost(stage: Stage, c: ComputerContext, system: System): Answer | undefined {
  const ticket = ticketOf(system);
  const before = stage.heard('computer', 'aggregate.shown').length;
  const wanted = { type: 'aggregate.wanted', system, ticket, reqId: ticket, query: queries[system] };
  stage.order('computer', { ...wanted, replyTo: 'host:computer' });
  const answers = (): AggregateShown[] =>
    stage.heard('computer', 'aggregate.shown').slice(before) as unknown as AggregateShown[];
  waitFor(stage, () => answers().length > 0, 2 * c.timing.shelfMs + 100);
  const [answer] = answers();
  if (!answer || answer.failure) return undefined;
  return { body: answer.body, missing: answer.missing.map(({ server }) => server) };
}
/** Null: there is no agent in its office. */
function shownToAgent(stage: Stage, c: ComputerContext, system: System): Answer | undefined | null {
  const isJoined = (link: string): boolean => stage.state(link)?.startsWith('{online:{joined') === true;
  const { computers = [] } = contextOf<{ computers: readonly string[] }>(stage, 'agent') ?? {};
  const name = c.link?.name;
  if (!isJoined('computer/link') || !isJoined('agent/link') || name === undefined) return null;
  if (!computers.includes(name)) return null;
  const request = { computer: name, ...queries[system] };
  const asked = stage.query(methods[system], request);
  waitFor(stage, () => asked.settled.length > 0, c.timing.queryMs + c.timing.agentMarginMs + 100);
  const [settled] = asked.settled;
  if (!settled || settled.failure || typeof settled.result !== 'object') return undefined;
  const {
    req_id: _,
    missing = [],
    ...body
  } = settled.result as { req_id: string; missing?: { server: string }[] };
  return { body, missing: missing.map(({ server }) => server) };
}

/** What is read of one resource, of those that one server alone lists, is what it has. */
function misread(stage: Stage, c: ComputerContext, servers: readonly Server[]): string[] {
  const all = servers.flatMap(({ uris }) => uris);
  return servers.flatMap(({ name, truth, uris }) => {
    const uri = uris.find((each) => isShown(each) && all.indexOf(each) === all.lastIndexOf(each));
    if (uri === undefined || truth.read(uri).length === 0) return [];
    const before = stage.heard('computer', 'resource.read').length;
    const system: System = uri.startsWith('window:') ? 'desktop' : 'finder';
    const wanted = { type: 'resource.wanted', system, ticket: `truth.${uri}`, reqId: uri, uri };
    stage.order('computer', { ...wanted, replyTo: 'host:computer' });
    const answers = (): unknown[] => stage.heard('computer', 'resource.read').slice(before);
    waitFor(stage, () => answers().length > 0, c.timing.readMs + 100);
    const { contents = [] } = (answers()[0] ?? {}) as { contents?: readonly object[] };
    const [is, should] = [JSON.stringify(contents), JSON.stringify(truth.read(uri))];
    return is === should ? [] : [`${uri} of ${name} is read as ${is}, and is ${should}`];
  });
}
/** Whose changes nobody would hear of, though its server tells them. */
function unheard(stage: Stage, servers: readonly Server[]): string[] {
  return servers.flatMap(({ name, truth, uris }) => {
    const watch = contextOf<{ refused: readonly string[] }>(stage, `computer/client:${keyOf(name)}/watch`);
    return uris
      .filter((uri) => isShown(uri) && !truth.isSubscribed(uri) && watch?.refused.includes(uri) !== true)
      .map((uri) => `nobody would hear of a change of ${uri} of ${name}`);
  });
}
const isShown = (uri: string): boolean => isWindowUri(uri) || isDpeUri(uri);

/** Long enough for a server to be back that was found dead by being asked. */
const backMs = 60_000;
/** Asks of both systems, so that what is known only by asking is known. */
function look(stage: Stage, c: ComputerContext): void {
  const told = (): number => stage.heard('computer', 'client.changed').length;
  const before = told();
  for (const system of both) shownToHost(stage, c, system);
  if (told() !== before) stage.run(backMs);
}

/** What is wrong with what is shown when all is quiet; whoever looks asks, and what was not known is read. */
export function untruthsShown(stage: Stage): string[] {
  const before = contextOf<ComputerContext>(stage, 'computer');
  if (!before || stage.state('computer')?.startsWith('clos') === true) return [];
  look(stage, before);
  const servers = serversOf(stage, contextOf<ComputerContext>(stage, 'computer') ?? before);
  return [
    ...misread(stage, before, servers),
    ...unheard(stage, servers),
    ...both.flatMap((system) => misshown(stage, before, system)),
  ];
}
function misshown(stage: Stage, before: ComputerContext, system: System): string[] {
  const host = shownToHost(stage, before, system);
  const agent = shownToAgent(stage, before, system);
  const c = contextOf<ComputerContext>(stage, 'computer') ?? before;
  const shown = serversOf(stage, c).map((server) => shownOf(stage, system, server));
  const items = shown.flatMap((each) => each.items);
  const should: Answer = {
    body: systems[system].answerOf(items, queries[system], c.recent),
    missing: shown.filter(({ isWhole }) => !isWhole).map(({ name }) => name),
  };
  return [
    ...wrong(`the host is shown of its ${system}`, host, should),
    ...(agent === null ? [] : wrong(`an agent is shown of the ${system}`, agent, should)),
  ];
}
const written = ({ body, missing }: Answer): string =>
  JSON.stringify([body, [...new Set(missing)].toSorted()]);
function wrong(who: string, is: Answer | undefined, should: Answer): string[] {
  if (!is) return [`what ${who}: no answer`];
  return written(is) === written(should)
    ? []
    : [`what ${who}: ${written(is)}, and the servers have ${written(should)}`];
}
