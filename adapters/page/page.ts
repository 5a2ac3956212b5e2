import { History } from './history.ts';
import type { Alive, Row } from './living.ts';
import { nextOf, serversOf, stateText, treeOf } from './model.ts';

/** The page of the inspector. Every text of a server or a peer becomes a text node, never markup. */

interface Message {
  readonly type: string;
  readonly lines?: string;
  readonly missed?: number;
  readonly reason?: string;
  readonly host?: { readonly kind: string; readonly name: string; readonly pid: number | null };
}
const marks = { good: '●', busy: '◐', bad: '▲', off: '○' } as const;
const mostShown = 200;
const drawMs = 100;

const history = new History();
let missed = 0;
/** The record whose moment is shown; undefined: now. */
let moment: number | undefined;
let chosen: Row | undefined;
let isStale = true;
/** ms of the trace ↔ ms of this page, to count down. */
let arrivedAt = performance.now();
/** A recording, or a host that has ended: its clock stands still. */
let isOver = false;

const part = (id: string): HTMLElement => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no ${id}`);
  return found;
};
/** Characters that turn a text around, or that nobody sees, are shown as their codes. */
const visible = (text: string): string =>
  text.replaceAll(
    /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/g,
    (char) => String.raw`\u` + char.charCodeAt(0).toString(16).padStart(4, '0'),
  );
function element(name: string, text = '', className = ''): HTMLElement {
  const made = document.createElement(name);
  made.textContent = visible(text);
  if (className !== '') made.className = className;
  return made;
}
function table(heads: readonly string[], rows: readonly (readonly (string | HTMLElement)[])[]): HTMLElement {
  const made = element('table');
  const head = element('tr');
  head.append(...heads.map((text) => element('th', text)));
  made.append(head);
  for (const cells of rows) {
    const row = element('tr');
    for (const cell of cells) {
      const td = element('td');
      td.append(typeof cell === 'string' ? visible(cell) : cell);
      row.append(td);
    }
    made.append(row);
  }
  return made;
}
const seconds = (ms: number): string => `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
/** ms of the trace that is shown. */
const nowMs = (): number => {
  const at = history.row(moment ?? history.length - 1)?.t ?? 0;
  return moment === undefined && !isOver ? at + (performance.now() - arrivedAt) : at;
};
const sinceText = (since: number | null): string =>
  since === null ? 'before this page' : `for ${seconds(nowMs() - since)}`;

function drawServers(alive: Alive): HTMLElement {
  const servers = serversOf(alive);
  if (servers.length === 0) return element('p', 'No server is configured here.', 'quiet');
  const rows = servers.map(({ name, mood, words, why, nextAt, attempt, calls, since }) => [
    element('strong', name),
    element('span', `${marks[mood]} ${words}`, mood),
    sinceText(since),
    why,
    nextAt === null ? '' : `in ${seconds(nextAt - nowMs())} (${attempt})`,
    calls === 0 ? '' : String(calls),
  ]);
  return table(['server', 'state', 'since', 'why', 'tried again', 'calls'], rows);
}
function drawTree(alive: Alive): HTMLElement {
  const rows = treeOf(alive).map(({ actor, depth }) => {
    const { address, state, due, since } = actor;
    const next = nextOf(due);
    const name = `${'\u00A0\u00A0'.repeat(depth)}${address.split('/').at(-1) ?? address}`;
    return [
      element('span', name, 'mono'),
      stateText(state),
      sinceText(since),
      next === null ? '' : `timer in ${seconds(next - nowMs())}`,
    ];
  });
  return table(['actor', 'state', 'since', 'next'], rows);
}
const eventOf = (row: Row): string => {
  const { ev } = row;
  if (typeof ev === 'string') return ev;
  const type = typeof ev === 'object' && ev !== null ? (ev as { type?: unknown }).type : undefined;
  return typeof type === 'string' ? type : '';
};
const isWanted = (row: Row, wanted: string): boolean =>
  wanted === '' ||
  `${addressOf(row)} ${eventOf(row)} ${JSON.stringify(row['v'] ?? '')}`.toLowerCase().includes(wanted);
const addressOf = ({ a }: Row): string => (typeof a === 'string' ? a : '');
/** The last ones up to the moment that is shown, the newest first. */
function drawRecords(): HTMLElement {
  const wanted = (part('filter') as HTMLInputElement).value.toLowerCase();
  const rows: (string | HTMLElement)[][] = [];
  for (let at = moment ?? history.length - 1; at >= 0 && rows.length < mostShown; at--) {
    const row = history.row(at);
    if (!row || !isWanted(row, wanted)) continue;
    const open = element('button', String(row.s), 'mono');
    open.addEventListener('click', () => {
      chosen = row;
      moment = at;
      isStale = true;
    });
    rows.push([open, `${row.t.toFixed(1)} ms`, row.k, element('span', addressOf(row), 'mono'), eventOf(row)]);
  }
  return table(['record', 'at', 'what', 'actor', 'event'], rows);
}
function draw(): void {
  const alive = history.at(moment ?? Infinity);
  part('servers').replaceChildren(drawServers(alive));
  part('tree').replaceChildren(drawTree(alive));
  const slider = part('moment') as HTMLInputElement;
  slider.max = String(Math.max(0, history.length - 1));
  if (moment === undefined) slider.value = slider.max;
  part('moment-text').textContent =
    moment === undefined ? 'now' : `record ${history.row(moment)?.s ?? 0}, ${nowMs().toFixed(1)} ms`;
  // What somebody reads does not move under them.
  if (isStale && document.activeElement?.closest('#records') === null)
    part('records').replaceChildren(drawRecords());
  if (isStale) part('detail').textContent = chosen ? visible(JSON.stringify(chosen, null, 2)) : '';
  isStale = false;
}

function take(message: Message): void {
  const { type, lines, missed: lost = 0, reason, host } = message;
  if (host) {
    part('host').textContent = visible(`${host.kind} ${host.name}`);
    part('link').textContent = host.pid === null ? 'a recording' : `connected, process ${host.pid}`;
  }
  if (type === 'closed' || type === 'complete') isOver = true;
  if (type === 'closed') part('link').textContent = visible(`ended: ${reason ?? ''}`);
  if (lines === undefined) return;
  for (const line of lines.split('\n')) if (line !== '') history.add(JSON.parse(line) as Row);
  missed += lost;
  arrivedAt = performance.now();
  if (missed > 0)
    part('link').textContent = `connected; ${missed} records were skipped, this page was too slow`;
  isStale = true;
}
function attach(): void {
  const token = /[#&]token=([0-9a-f]+)/.exec(location.hash)?.[1];
  if (token === undefined) {
    part('link').textContent = 'The address has no token. Open the one that a2c printed, or run: a2c inspect';
    return;
  }
  const socket = new WebSocket(`ws://${location.host}/attach`, ['a2c-inspect.1', `token.${token}`]);
  socket.addEventListener('message', ({ data }) => take(JSON.parse(String(data)) as Message));
  socket.addEventListener('close', () => {
    part('link').textContent =
      'Not connected: the host has ended, or the token is of an earlier start. Run: a2c inspect';
  });
}
part('filter').addEventListener('input', () => (isStale = true));
part('moment').addEventListener('input', () => {
  const at = Number((part('moment') as HTMLInputElement).value);
  moment = at >= history.length - 1 ? undefined : at;
  isStale = true;
});
part('follow').addEventListener('click', () => {
  moment = undefined;
  isStale = true;
});
attach();
setInterval(draw, drawMs);
