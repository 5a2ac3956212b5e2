import type { ComputerEvents } from '../../api/computer-handle.ts';
import type { CallOutcome } from '../../api/call-outcome.ts';
import { forShell, inOneLine, toolsText, type SameServers } from './contents.ts';
import { ownFailure } from './failures.ts';
import { smcpToolOf } from '../../../machines/catalog/tool.ts';
import type { ServerStatus, ToolInfo, ToolListing } from '../../servers/server-handle.ts';
import type { OutputLine } from '../../servers/server-output.ts';
import { columnsOf, fitting, padded, type Noise } from '../../../adapters/index.ts';
import { aliasLine } from '../../../machines/catalog/tool-table.ts';
import type { OfficePeer } from '../../../machines/office/rooms/limits.ts';
import { shortStateWords, stateWords } from '../../../machines/server-states.ts';

export const callJson = (ended: CallOutcome): object => ({
  outcome: ended.outcome,
  phase: ended.phase,
  server: ended.server,
  tool: ended.tool,
  req_id: ended.reqId,
  duration_ms: ended.durationMs,
  result: ended.result,
  failure: ownFailure(ended),
});

export const toolJson = (info: ToolInfo): object => {
  const { original, server, title, execution, shown, renamed } = info;
  return { ...smcpToolOf(info), original, server, title, execution, shown, renamed };
};
const firstLine = (text: string, width: number): string => fitting(text.split('\n')[0] ?? '', width, '…');
interface Listed {
  readonly name: string;
  readonly description?: string;
  readonly server?: string;
}
export function toolLines(tools: readonly Listed[]): string[] {
  const width = Math.max(4, ...tools.map((t) => columnsOf(t.name)));
  const ofServer = Math.max(6, ...tools.map((t) => columnsOf(t.server ?? '')));
  return tools.map(({ name, server, description = '' }) =>
    [
      padded(name, width),
      ...(server === undefined ? [] : [padded(server, ofServer)]),
      firstLine(description, 80),
    ].join('  '),
  );
}
export function conflictLines({ tools, refused }: Pick<ToolListing, 'tools' | 'refused'>): string[] {
  return [
    ...refused.map(
      ({ name, server, reason, suggestion }) => `refused: ${name} of ${server}: ${reason}. ${suggestion}`,
    ),
    ...tools.flatMap(({ name, original, server, renamed }) =>
      renamed
        ? [
            `renamed: ${renamed.from} of ${server} is ${name}: ${renamed.reason}. Another name is given in the config of '${server}': ${aliasLine(original, '…')}`,
          ]
        : [],
    ),
  ];
}
export const isRefusing = ({ state, failure }: ToolListing['servers'][number]): boolean =>
  state === 'ready' && failure?.details?.['refused'] !== undefined;
/** The word is left out where the reason says the same. */
const whyNot = ({ state, reason }: Pick<ServerStatus, 'state' | 'reason'>): string =>
  reason === undefined || reason.startsWith(shortStateWords[state])
    ? (reason ?? shortStateWords[state])
    : `${shortStateWords[state]}: ${reason}`;
export const loginLines = ({ state, failure }: ServerStatus, options: SameServers = {}): string[] => {
  const remedy = state === 'unauthorized' && failure ? forShell(failure, options).remedy : undefined;
  return remedy === undefined ? [] : [`  ${remedy}`];
};
export const notReadyLines = (
  { servers }: Pick<ToolListing, 'servers'>,
  options: SameServers = {},
): string[] =>
  servers
    // Leaves out servers with only refused tools, because each of those tools has a line.
    .filter((s) => s.state !== 'ready' || (s.reason !== undefined && !isRefusing(s)))
    .flatMap((s) => [`server ${s.name} ${whyNot(s)}`, ...loginLines(s, options)]);
export const absentLines = ({ servers }: Pick<ToolListing, 'servers'>, options: SameServers): string[] =>
  notReadyLines(
    { servers: servers.filter((s) => !['disabled', 'idle', 'standby'].includes(s.state)) },
    options,
  );
const mostNamed = 3;
const someOf = (names: readonly string[]): string => {
  const more = names.length - mostNamed;
  return more < 2 ? names.join(', ') : `${names.slice(0, mostNamed).join(', ')} and ${more} more`;
};
const byKey = <T>(all: readonly T[], keyOf: (one: T) => string): readonly (readonly T[])[] => [
  ...all
    .reduce((groups, one) => {
      const key = keyOf(one);
      return groups.set(key, [...(groups.get(key) ?? []), one]);
    }, new Map<string, readonly T[]>())
    .values(),
];
export function conflictSummary({ tools, refused }: Pick<ToolListing, 'tools' | 'refused'>): string[] {
  const owners = new Map(tools.map(({ name, server }) => [name, server]));
  const twins = refused.flatMap(({ name, server }) => {
    const owner = owners.get(name);
    return owner === undefined || owner === server ? [] : [{ name, server, owner }];
  });
  const isTwin = ({ name, server }: { name: string; server: string }): boolean =>
    twins.some((twin) => twin.name === name && twin.server === server);
  const moved = tools.flatMap(({ name, server, renamed }) =>
    renamed ? [{ name, server, from: renamed.from, reason: renamed.reason }] : [],
  );
  return [
    ...byKey(twins, ({ owner, server }) => JSON.stringify([owner, server])).map((pair) => {
      const [{ owner, server, name } = { owner: '', server: '', name: '' }] = pair;
      return `${owner} and ${server} both have ${someOf(pair.map((twin) => twin.name))}; ${owner} has the name. "a2c": {"onConflict": "prefix"} in the config gives both a name of their own; or call SERVER.TOOL: a2c call ${server}.${name}`;
    }),
    ...conflictLines({ tools: [], refused: refused.filter((one) => !isTwin(one)) }),
    ...byKey(moved, ({ server }) => server).map((some) => {
      const names = someOf(some.map(({ from, name }) => `${from} is ${name}`));
      return `${some[0]?.server} shares names with other servers: ${names} (tools conflicts tells more)`;
    }),
  ];
}
const timeOf = (ms: number | undefined): string =>
  ms === undefined ? '' : ` in ${(ms / 1_000).toFixed(1)} s`;
type Times = ReadonlyMap<string, number>;
type Listing = Omit<ToolListing, 'missing'>;
function groupText({ tools }: Listing, server: Listing['servers'][number], times: Times): string[] {
  const own = tools.filter((tool) => tool.server === server.name);
  const width = Math.max(4, ...own.map(({ name }) => columnsOf(name)));
  const isFine = server.state === 'ready' && (server.reason === undefined || isRefusing(server));
  if (!isFine && own.length === 0) return [];
  const state = isFine ? `ready${timeOf(times.get(server.name))}` : shortStateWords[server.state];
  return [
    `${server.name}  ${state}, ${toolsText(own.length)}`,
    ...own.map(({ name, description = '' }) =>
      `  ${padded(name, width)}  ${firstLine(description, 80)}`.trimEnd(),
    ),
  ];
}
const endText = (listing: Listing): string[] => [
  ...conflictSummary(listing),
  ...notReadyLines(listing),
  ...(listing.tools.length === 0 ? ['no tools'] : []),
];
export const listingText = (listing: Listing, times: Times = new Map()): string[] => [
  ...listing.servers.flatMap((server) => groupText(listing, server, times)),
  ...endText(listing),
];
/** Each server when it is up or has failed; again at the end when its tools have changed or it is ready. */
export class EarlyGroups {
  readonly #out: (line: string) => void;
  readonly #shown = new Map<string, string>();
  readonly #failed = new Set<string>();

  readonly #options: SameServers;

  constructor(out: (line: string) => void, options: SameServers) {
    this.#out = out;
    this.#options = options;
  }
  show(listing: Listing, name: string, times: Times = new Map()): void {
    const servers = listing.servers.filter((server) => server.name === name);
    const lines = servers.flatMap((server) => groupText(listing, server, times));
    const tools = lines.slice(1).join('\n');
    if (lines.length > 0 && this.#shown.get(name) !== tools) {
      this.#shown.set(name, tools);
      for (const line of lines) this.#out(line);
    }
    const why = this.#failed.has(name) ? [] : notReadyLines({ servers }, this.#options);
    if (why.length > 0) this.#failed.add(name);
    for (const line of why) this.#out(line);
  }
  showRest(listing: Listing, times: Times): void {
    for (const { name } of listing.servers) this.show(listing, name, times);
    for (const line of endText({ ...listing, servers: [] })) this.#out(line);
  }
}

/** In a table whose later rows are not known yet. */
export const nameColumns = 16;
export const serverLine = (
  { name, state, reason, nextTryMs, hidden }: ServerStatus,
  columns: number = nameColumns,
): string =>
  `${padded(name, Math.max(nameColumns, columns))} ${whyNot({ state, ...(reason !== undefined && { reason }) })}` +
  (nextTryMs === undefined ? '' : `; next try within ${Math.ceil(nextTryMs / 1000)} s`) +
  (hidden === undefined ? '' : `; ${hidden}`);
const noises: readonly [keyof Noise, string][] = [
  ['garbage', 'lines that are no JSON'],
  ['overlong', 'messages that are too long'],
  ['unknownId', 'answers that nobody waits for'],
  ['lateAnswer', 'answers that came too late, or twice'],
  ['lateProgress', 'reports of progress that came too late'],
  ['protocol', 'messages that break the protocol'],
];
export const noiseLine = (noise: Noise): string =>
  noises
    .filter(([kind]) => noise[kind] !== 0)
    .map(([kind, words]) => `${noise[kind]} ${words}`)
    .join(', ') + (noise.last === undefined ? '' : `; last: ${JSON.stringify(noise.last)}`);

function whileWaiting(
  { for: step, since, limitMs }: NonNullable<ServerStatus['waits']>,
  logs: string,
): string[] {
  const end = 'then it is tried again, until too many tries have failed';
  return [
    `It waits for ${step} since ${since}.`,
    ...(limitMs === undefined
      ? []
      : [
          `what happens next: this try ends after ${limitMs / 1_000} s (timeouts.connectMs of its config); ${end}`,
        ]),
    ...(isMute(step)
      ? [
          `what to do: see what it writes (${logs}), and run its command by hand: it must answer in MCP on stdout`,
        ]
      : []),
  ];
}
/** `logs` is the command that shows the output of the server. */
export function whyText(server: ServerStatus, logs = `logs ${server.name}`): string[] {
  const { state, failure, noise, waits } = server;
  const { code, details = {}, remedy } = failure ?? {};
  const stderr = details['stderr'];
  const all = Array.isArray(stderr)
    ? stderr.map(String)
    : typeof stderr === 'string'
      ? stderr.split('\n')
      : [];
  const said = all.filter((line) => line.trim() !== '');
  return [
    serverLine(server),
    `It ${stateWords[state]}.`,
    ...(waits ? whileWaiting(waits, logs) : []),
    ...(code === undefined ? [] : [`code: ${code}`]),
    ...(said.length > 0 ? ['it wrote to stderr:', ...said.map((line) => `  ${line}`)] : []),
    ...(noise ? [`it wrote what reached nobody: ${noiseLine(noise)}`] : []),
    ...(remedy === undefined ? [] : [`what to do: ${remedy}`]),
  ];
}
/** The step waits for an answer of a server that runs. */
const isMute = (step: string): boolean => step === 'initialize' || step === 'tools/list';

/** Each reason is printed once until it changes, however often a server is tried. */
export class NewsLines {
  /** The key '' is the office. */
  readonly #reasons = new Map<string, string>();
  readonly #tries = new Map<string, number>();
  #last = '';

  /** Undefined when the event does not matter or was just printed. */
  of(name: string, value: unknown): string | undefined {
    const line = this.#lineOf(name, value);
    if (line === this.#last) return undefined;
    this.#last = line ?? this.#last;
    return line;
  }
  #lineOf(name: string, value: unknown): string | undefined {
    if (name === 'server.changed') return this.#server(value as ComputerEvents['server.changed']);
    if (name === 'link.changed') return this.#office(value as ComputerEvents['link.changed']);
    if (name !== 'server.removed') return undefined;
    const { name: removed } = value as ComputerEvents['server.removed'];
    this.#reasons.delete(removed);
    return `server ${padded(removed, nameColumns)} removed`;
  }
  /** A server that fails again and again has one line at the first failure and one at its end. */
  #server(server: ComputerEvents['server.changed']): string | undefined {
    const { name, state, reason = '', failure } = server;
    if (state === 'recovering' || (state === 'connecting' && failure)) return undefined;
    const again = this.#isAgain(name, failure?.message ?? '');
    const tries = state === 'waiting' ? (this.#tries.get(name) ?? 0) + 1 : 0;
    const before = this.#tries.get(name) ?? 0;
    this.#tries.set(name, tries);
    if (again && state === 'waiting') return undefined;
    // Keeps the text after the message of the failure, which gives the number of the attempt.
    const rest = failure ? reason.slice(failure.message.length) : '';
    const times = before > 1 ? `failed ${before + 1} times, each as before` : 'as before';
    return `server ${serverLine(again ? { ...server, reason: `${times}${rest}` } : server)}`;
  }
  #office({ state, reason }: ComputerEvents['link.changed']): string | undefined {
    if (state === 'waiting')
      return this.#isAgain('', reason ?? '')
        ? undefined
        : `office not reached, trying again: ${reason ?? 'no reason given'}`;
    if (state === 'connecting' && this.#reasons.has('')) return undefined;
    this.#reasons.delete('');
    return `office ${state}`;
  }
  #isAgain(name: string, reason: string): boolean {
    const isAgain = reason !== '' && this.#reasons.get(name) === reason;
    this.#reasons.set(name, reason);
    return isAgain;
  }
}

export const logLine = ({ at, from, level, text }: OutputLine): string =>
  `${at.slice(11, 19)} ${(level ?? from).padEnd(7)} ${text}`;

export function peerLine({ seat, version, misses, address }: OfficePeer): string {
  const who = seat
    ? `${seat.role} ${inOneLine(seat.name, 40)} in ${inOneLine(seat.office, 40)}`
    : 'no seat yet';
  const said = version === undefined ? 'says no version' : `protocol ${version}`;
  return `${who}, from ${address}: ${said}${misses.length === 0 ? '' : `; misses ${misses.join(', ')}`}`;
}
