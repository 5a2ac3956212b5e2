import { keyOf } from '../../machines/kernel/effects.ts';
import type { ComputerContext } from '../../machines/computer/computer.machine.ts';
import { capabilitiesOf, type ResourcesTruth, type Truth } from '../stage/scripted/script.ts';
import { isWindowUri } from '../../machines/resources/window-uri.ts';
import { isDpeUri } from '../../machines/resources/dpe-uri.ts';
import type { AggregateShown } from '../../machines/resources/collections.ts';
import type { Entry } from '../../machines/resources/server-cache.rules.ts';
import { collections } from '../../machines/resources/collection-rules.ts';
import type { ResourceCollection } from '../../machines/ports/link.ts';
import { events } from '../../machines/protocol/protocol.ts';
import type { Harness } from '../stage/harness.ts';

/** Only the harness knows both the resources of servers and what a computer and its agents show of them. */
export const showsTheTruth = 'a computer shows what its servers have, to its host and to agents';

const both: readonly ResourceCollection[] = ['desktop', 'finder'];
const methods = { desktop: events.getDesktop, finder: events.getFinder } as const;
/** With the largest page that is allowed. */
const queries = { desktop: {}, finder: { limit: 100 } } as const;
const ticketOf = (collection: ResourceCollection): string => `truth.${collection}`;

const contextOf = <Context>(harness: Harness, address: string): Context | undefined =>
  (harness.directory.find(address)?.ref.getSnapshot() as { context: Context } | undefined)?.context;

interface Held {
  readonly uris: readonly string[];
  readonly entries: readonly (readonly Entry[])[];
}
interface Server {
  readonly name: string;
  readonly truth: ResourcesTruth;
  /** As the server would list them, or, where its last change cannot be known, as the computer knows them. */
  readonly uris: readonly string[];
}

const isKnowable = ({ isListed, isTold }: ResourcesTruth, isHeard: boolean, c: ComputerContext): boolean =>
  isListed || (isHeard ? isTold || c.timing.pollDeclaredMs > 0 : c.timing.pollMs > 0);
/** Ready, with resources and subscriptions, and of a true state that the harness knows. */
function serversOf(harness: Harness, c: ComputerContext): Server[] {
  return c.servers.flatMap(({ rules: { server: name }, client }): Server[] => {
    const script = c.stages[name] === 'ready' ? harness.servers.behind(name) : undefined;
    const truth: Truth | undefined = script?.truth?.();
    const { resources } = script ? capabilitiesOf(script) : { resources: null };
    if (!truth || resources?.subscribe !== true) return [];
    const isHeard = resources.listChanged && client.hearsChanges;
    const known = (c.resources[name] ?? []).map(({ uri }) => uri);
    const uris = isKnowable(truth.resources, isHeard, c) ? truth.resources.uris : known;
    return [{ name, truth: truth.resources, uris }];
  });
}
/** Wrong contents that a server gave count as its content. */
function shownOf(harness: Harness, collection: ResourceCollection, { name, truth, uris }: Server) {
  const { urisIn, refusedIn, toRead, itemsOf } = collections[collection];
  const held = contextOf<Held>(harness, `computer/${collection}/cache:${keyOf(name)}`);
  const read = toRead(urisIn(uris.map((uri) => ({ uri })))).map((uri) => {
    const known = held?.entries.flat()[held.uris.indexOf(uri)];
    const contents = truth.read(uri);
    const isSecret = contents.length === 0 || !truth.isKnowable(uri);
    if (isSecret && known && !known.isStale && !known.failure) return { ok: true, body: known } as const;
    return contents.length === 0 ? ({ ok: false } as const) : itemsOf(contents, uri, name);
  });
  const isTaken = refusedIn(uris.map((uri) => ({ uri }))).length === 0;
  const isWhole = isTaken && read.every((one) => one.ok && one.body.refused.length === 0);
  return { name, items: read.flatMap((one) => (one.ok ? one.body.items : [])), isWhole };
}

/** Answer of a view, with the servers of which parts are missing. */
interface Answer {
  readonly body: object;
  readonly missing: readonly string[];
}
const waitFor = async (harness: Harness, isThere: () => boolean, patienceMs: number): Promise<void> => {
  for (let ms = 0; ms < patienceMs && !isThere(); ms += 10) await harness.run(10);
};
async function shownToHost(
  harness: Harness,
  c: ComputerContext,
  collection: ResourceCollection,
): Promise<Answer | undefined> {
  const ticket = ticketOf(collection);
  const before = harness.heard('computer', 'aggregate.shown').length;
  const wanted = { type: 'aggregate.wanted', collection, ticket, reqId: ticket, query: queries[collection] };
  harness.order('computer', { ...wanted, replyTo: 'host:computer' });
  const answers = (): AggregateShown[] =>
    harness.heard('computer', 'aggregate.shown').slice(before) as unknown as AggregateShown[];
  await waitFor(harness, () => answers().length > 0, 2 * c.timing.aggregateMs + 100);
  const [answer] = answers();
  if (!answer || answer.failure) return undefined;
  return { body: answer.body, missing: answer.missing.map(({ server }) => server) };
}
/** Null when no agent is in the office. */
async function shownToAgent(
  harness: Harness,
  c: ComputerContext,
  collection: ResourceCollection,
): Promise<Answer | undefined | null> {
  const isJoined = (link: string): boolean => harness.state(link)?.startsWith('{online:{joined') === true;
  const { computers = [] } = contextOf<{ computers: readonly string[] }>(harness, 'agent') ?? {};
  const name = c.link?.name;
  if (!isJoined('computer/link') || !isJoined('agent/link') || name === undefined) return null;
  if (!computers.includes(name)) return null;
  const request = { computer: name, ...queries[collection] };
  const asked = harness.query(methods[collection], request);
  await waitFor(harness, () => asked.settled.length > 0, c.timing.queryMs + c.timing.agentMarginMs + 100);
  const [settled] = asked.settled;
  if (!settled || settled.failure || typeof settled.result !== 'object') return undefined;
  const {
    req_id: _,
    missing = [],
    ...body
  } = settled.result as { req_id: string; missing?: { server: string }[] };
  return { body, missing: missing.map(({ server }) => server) };
}

/** Only for resources that a single server lists. */
async function misread(harness: Harness, c: ComputerContext, servers: readonly Server[]): Promise<string[]> {
  const all = servers.flatMap(({ uris }) => uris);
  const wrong: string[] = [];
  for (const { name, truth, uris } of servers) {
    const uri = uris.find((each) => isShown(each) && all.indexOf(each) === all.lastIndexOf(each));
    if (uri === undefined || truth.read(uri).length === 0) continue;
    const before = harness.heard('computer', 'resource.read').length;
    const collection: ResourceCollection = uri.startsWith('window:') ? 'desktop' : 'finder';
    const wanted = { type: 'resource.wanted', collection, ticket: `truth.${uri}`, reqId: uri, uri };
    harness.order('computer', { ...wanted, replyTo: 'host:computer' });
    const answers = (): unknown[] => harness.heard('computer', 'resource.read').slice(before);
    await waitFor(harness, () => answers().length > 0, c.timing.readMs + 100);
    const { contents = [] } = (answers()[0] ?? {}) as { contents?: readonly object[] };
    const [is, should] = [JSON.stringify(contents), JSON.stringify(truth.read(uri))];
    if (is !== should) wrong.push(`${uri} of ${name} is read as ${is}, and is ${should}`);
  }
  return wrong;
}
function unheard(harness: Harness, servers: readonly Server[]): string[] {
  return servers.flatMap(({ name, truth, uris }) => {
    const watch = contextOf<{ refused: readonly string[] }>(harness, `computer/client:${keyOf(name)}/watch`);
    return uris
      .filter((uri) => isShown(uri) && !truth.isSubscribed(uri) && watch?.refused.includes(uri) !== true)
      .map((uri) => `nobody would hear of a change of ${uri} of ${name}`);
  });
}
const isShown = (uri: string): boolean => isWindowUri(uri) || isDpeUri(uri);

const backMs = 60_000;
/** Both, so that changes are found that only asking can find. */
async function look(harness: Harness, c: ComputerContext): Promise<void> {
  const told = (): number => harness.heard('computer', 'client.changed').length;
  const before = told();
  for (const collection of both) await shownToHost(harness, c, collection);
  if (told() !== before) await harness.run(backMs);
}

/** When the system is quiescent, after asking for contents that were not known. */
export async function untruthsShown(harness: Harness): Promise<string[]> {
  const before = contextOf<ComputerContext>(harness, 'computer');
  if (!before || harness.state('computer')?.startsWith('clos') === true) return [];
  await look(harness, before);
  const servers = serversOf(harness, contextOf<ComputerContext>(harness, 'computer') ?? before);
  const wrong = [...(await misread(harness, before, servers)), ...unheard(harness, servers)];
  for (const collection of both) wrong.push(...(await misshown(harness, before, collection)));
  return wrong;
}
async function misshown(
  harness: Harness,
  before: ComputerContext,
  collection: ResourceCollection,
): Promise<string[]> {
  const host = await shownToHost(harness, before, collection);
  const agent = await shownToAgent(harness, before, collection);
  const c = contextOf<ComputerContext>(harness, 'computer') ?? before;
  const shown = serversOf(harness, c).map((server) => shownOf(harness, collection, server));
  const items = shown.flatMap((each) => each.items);
  const should: Answer = {
    body: collections[collection].answerOf(items, queries[collection], c.recent),
    missing: shown.filter(({ isWhole }) => !isWhole).map(({ name }) => name),
  };
  return [
    ...wrong(`the host is shown of its ${collection}`, host, should),
    ...(agent === null ? [] : wrong(`an agent is shown of the ${collection}`, agent, should)),
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
