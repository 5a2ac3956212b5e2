/** Lines about servers, tools, incidents and peers for a terminal. */
import type { ComputerEvents } from '../../api/computer-handle.ts';
import { inOneLine, toolsText } from './contents.ts';
import { adviceAt, logsOf, type Place } from './hints.ts';
import { aliasLine, smcpToolOf } from '../../../machines/catalog/tool.ts';
import type { ServerStatus, ToolInfo, ToolListing } from '../../servers/server-handle.ts';
import type { OutputLine } from '../../servers/server-output.ts';
import { columnsOf, fitting, padded } from '../../../adapters/terminal/typed-line.ts';
import type { Noise } from '../../../adapters/mcp/messages/noise.ts';
import type { OfficePeer } from '../../../machines/office/rooms/limits.ts';
import { incidentNames, type IncidentFact } from '../../../machines/incidents/incident.ts';
import { shortStateWords, stateWords } from '../../../machines/server-states.ts';

export const toolJson = (info: ToolInfo): object => {
  const { original, server, title, execution, shown, renamed } = info;
  return { ...smcpToolOf(info), original, server, title, execution, shown, renamed };
};
const firstLine = (text: string, width: number): string => fitting(text.split('\n')[0] ?? '', width, '…');
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
export const loginLines = ({ state, failure }: ServerStatus, place: Place = {}): string[] => {
  const remedy = state === 'unauthorized' && failure ? adviceAt(place, failure).remedy : undefined;
  return remedy === undefined ? [] : [`  ${remedy}`];
};
export const notReadyLines = ({ servers }: Pick<ToolListing, 'servers'>, place: Place = {}): string[] =>
  servers
    // Leaves out servers with only refused tools, because each of those tools has a line.
    .filter((s) => s.state !== 'ready' || (s.reason !== undefined && !isRefusing(s)))
    .flatMap((s) => [`server ${s.name} ${whyNot(s)}`, ...loginLines(s, place)]);
const [mostNamed, mostIncidents] = [3, 20];
/** One line for all names that several servers have, since some share dozens. */
export function conflictSummary({ tools, refused }: Pick<ToolListing, 'tools' | 'refused'>): string[] {
  const owners = new Map(tools.map(({ name, server }) => [name, server]));
  const isTwin = ({ name, server }: { readonly name: string; readonly server: string }): boolean =>
    ![undefined, server].includes(owners.get(name));
  const moved = tools.flatMap(({ renamed }) => (renamed ? [renamed.from] : []));
  const shared = [...new Set([...refused.filter(isTwin).map(({ name }) => name), ...moved])];
  const more = shared.length > mostNamed ? ` and ${shared.length - mostNamed} more` : '';
  return [
    ...conflictLines({ tools: [], refused: refused.filter((one) => !isTwin(one)) }),
    ...(shared.length === 0
      ? []
      : [
          `several servers have ${shared.slice(0, mostNamed).join(', ')}${more}: call SERVER.TOOL; "a2c": {"onConflict": "prefix"} in the config gives each a name of its own`,
        ]),
  ];
}
type Listing = Omit<ToolListing, 'missing'>;
function groupText({ tools }: Listing, server: Listing['servers'][number]): string[] {
  const own = tools.filter((tool) => tool.server === server.name);
  const width = Math.max(4, ...own.map(({ name }) => columnsOf(name)));
  const isFine = server.state === 'ready' && (server.reason === undefined || isRefusing(server));
  if (!isFine && own.length === 0) return [];
  return [
    `${server.name}  ${isFine ? 'ready' : shortStateWords[server.state]}, ${toolsText(own.length)}`,
    ...own.map(({ name, description = '' }) =>
      `  ${padded(name, width)}  ${firstLine(description, 80)}`.trimEnd(),
    ),
  ];
}
export const listingText = (listing: Listing, place?: Place): string[] => [
  ...listing.servers.flatMap((server) => groupText(listing, server)),
  ...conflictSummary(listing),
  ...notReadyLines(listing, place),
  ...(listing.tools.length === 0 ? ['no tools'] : []),
];

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

/** The latest, without those that somebody has looked at and that are over. */
export function incidentLines(incidents: readonly IncidentFact[]): string[] {
  const open = incidents.filter(({ isOver, isSeen }) => !isOver || !isSeen);
  const lines = open.slice(0, mostIncidents).map((incident) => {
    const { kind, subject, message, since, last, times, isOver, mayHaveHappened, refused } = incident;
    const told = (words: string, tools: readonly string[]): string =>
      tools.length === 0 ? '' : `; ${words}: ${inOneLine([...new Set(tools)].join(', '), 80)}`;
    const cost = told('may have happened', mayHaveHappened) + told('refused', refused);
    const often = times > 1 ? `, ${times} times, last at ${last.slice(11, 19)}` : '';
    const name = subject === '' ? '' : ` ${inOneLine(subject, 40)}`;
    return `${since.slice(11, 19)} ${isOver ? '' : 'still '}${incidentNames[kind]}${name}${often}: ${inOneLine(message, 200)}${cost}`;
  });
  return open.length > lines.length ? [...lines, `and ${open.length - lines.length} more`] : lines;
}
export function whyText(server: ServerStatus, place: Place): string[] {
  const { state, failure, noise, waits } = server;
  const { code, details = {}, remedy } = failure ? adviceAt(place, failure) : {};
  const { stderr = '' } = details;
  const said = String(stderr)
    .split('\n')
    .filter((line) => line.trim() !== '');
  return [
    serverLine(server),
    `It ${stateWords[state]}.`,
    ...(waits
      ? [
          `It has waited for ${waits.for} since ${waits.since}; see what it writes: ${logsOf(place, server.name)}`,
        ]
      : []),
    ...(code === undefined ? [] : [`code: ${code}`]),
    ...(said.length > 0 ? ['it wrote to stderr:', ...said.map((line) => `  ${line}`)] : []),
    ...(noise ? [`it wrote what reached nobody: ${noiseLine(noise)}`] : []),
    ...(remedy === undefined ? [] : [`what to do: ${remedy}`]),
  ];
}
/** Each reason is printed once until it changes, however often a server is tried. */
export class NewsLines {
  /** The key '' is the office. */
  readonly #reasons = new Map<string, string>();
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
  /** A server that fails again and again in one way has one line at the first failure and one at its end. */
  #server(server: ComputerEvents['server.changed']): string | undefined {
    const { name, state, failure } = server;
    if (state === 'recovering' || (state === 'connecting' && failure)) return undefined;
    const again = this.#isAgain(name, failure?.message ?? '');
    return again && state === 'waiting' ? undefined : `server ${serverLine(server)}`;
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
