import { computerUpdate } from './messages/messages.ts';

/**
 * One row for each thing of a computer that may change: what the computer says to its office, what the office says to
 * the others, and what both ends make of it. The office relays by these rows, the connections read and write by them,
 * link and agent react by them, and the names, the types of the sockets and the test of docs/wire.md come from them.
 * CONTRIBUTING.md says how to add one.
 */
interface Row {
  /** Event from the computer to its office. */
  readonly event: `server:${string}`;
  /** Notice of the office to the others, under the registered name of the computer. */
  readonly notice: `notify:${string}`;
  /** Body of both: which computer, no more. Its hearers ask. */
  readonly schema: typeof computerUpdate;
  /** Fact that an agent's link makes of the notice, with `computer`. */
  readonly fact: { readonly type: `computer.${string}`; readonly collection?: string };
  /** How the owner of a computer's link tells it of the change, with the `mark`: what it is now. */
  readonly order: { readonly type: `${string}.changed`; readonly collection?: string };
  /** `signature`: the same while it has not changed. `revision`: counts its changes, from 0, which everybody knows. */
  readonly mark: keyof MarkTypes;
  /** The link gathers changes that follow each other. Otherwise their source has done so, and each is said at once. */
  readonly isGathered: boolean;
  /** View of an agent that asks again. Every agent asks for the tools of a computer that enters. */
  readonly view: 'tools' | 'desktop' | 'finder' | null;
  /** The host of an agent hears of it as it is; otherwise only of what a view then finds. */
  readonly isForHost: boolean;
}
interface MarkTypes {
  readonly signature: string;
  readonly revision: number;
}
export type Mark = MarkTypes[keyof MarkTypes];

/** By the key that the public `events` and `notices` have for them; in the order in which a link says them. */
export const notifications = {
  updateToolList: {
    event: 'server:update_tool_list',
    notice: 'notify:update_tool_list',
    schema: computerUpdate,
    fact: { type: 'computer.toolsChanged' },
    order: { type: 'tools.changed' },
    mark: 'signature',
    isGathered: true,
    view: 'tools',
    isForHost: false,
  },
  updateConfig: {
    event: 'server:update_config',
    notice: 'notify:update_config',
    schema: computerUpdate,
    fact: { type: 'computer.configChanged' },
    order: { type: 'config.changed' },
    mark: 'revision',
    isGathered: true,
    view: 'tools',
    isForHost: true,
  },
  updateDesktop: {
    event: 'server:update_desktop',
    notice: 'notify:update_desktop',
    schema: computerUpdate,
    fact: { type: 'computer.collectionChanged', collection: 'desktop' },
    order: { type: 'aggregate.changed', collection: 'desktop' },
    mark: 'signature',
    isGathered: false,
    view: 'desktop',
    isForHost: false,
  },
  updateFinder: {
    event: 'server:update_finder',
    notice: 'notify:update_finder',
    schema: computerUpdate,
    fact: { type: 'computer.collectionChanged', collection: 'finder' },
    order: { type: 'aggregate.changed', collection: 'finder' },
    mark: 'signature',
    isGathered: false,
    view: 'finder',
    isForHost: false,
  },
} as const satisfies Readonly<Record<string, Row>>;

type Rows = typeof notifications;
export type What = keyof Rows;
export type Notification = Rows[What];
export const whats = Object.keys(notifications) as What[];
export const rows: readonly Notification[] = Object.values(notifications);

/** One column, by what it is of. */
export type Column<Name extends keyof Row> = { readonly [W in What]: Rows[W][Name] };
export const columnOf = <Name extends keyof Row>(name: Name): Column<Name> =>
  Object.fromEntries(whats.map((what) => [what, notifications[what][name]])) as Column<Name>;

type FactOf<R> = R extends Notification ? R['fact'] & { readonly computer: string } : never;
type OrderOf<R> = R extends Notification ? R['order'] & Pick<MarkTypes, R['mark']> : never;
/** Facts of an agent's link. */
export type NotificationFact = FactOf<Notification>;
/** Orders to the link of a computer. */
export type NotificationOrder = OrderOf<Notification>;
/** Facts that the host of an agent hears as they are. */
export type HostFact = FactOf<Extract<Notification, { readonly isForHost: true }>>;

const byNotice = new Map<string, Notification>(rows.map((row) => [row.notice, row]));
export const notificationOf = (notice: string): Notification | undefined => byNotice.get(notice);

type Told = { readonly type: string; readonly collection?: string };
const isSame = (a: Told, b: Told): boolean => a.type === b.type && a.collection === b.collection;
export const isForHost = (fact: NotificationFact): fact is HostFact =>
  rows.some((row) => row.isForHost && isSame(row.fact, fact));
/** The view that it makes old. */
export const viewOf = (fact: NotificationFact): Notification['view'] | undefined =>
  rows.find((row) => isSame(row.fact, fact))?.view;
/** An order is always that of a row. */
export const whatOf = (order: NotificationOrder): What =>
  whats.find((what) => isSame(notifications[what].order, order)) as What;
export const markOf = (order: NotificationOrder): Mark =>
  'revision' in order ? order.revision : order.signature;
