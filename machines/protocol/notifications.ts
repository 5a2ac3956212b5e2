import { computerUpdate } from './messages/messages.ts';

/**
 * Row of the notification table: one kind of change at a computer, with its event, its notice, and the reaction of
 * both ends. The office relays by these rows, the connections read and write by them, link and agent react by them,
 * and event names, socket types and the test of docs/wire.md are derived from them. CONTRIBUTING.md tells how to add
 * one.
 */
interface Row {
  /** Event by which the computer announces the change to its office. */
  readonly event: `server:${string}`;
  /** Notice from the office to the other members, under the registered name of the computer. */
  readonly notice: `notify:${string}`;
  /** Schema of the body of event and notice: the name of the computer only. Receivers ask for the new data. */
  readonly schema: typeof computerUpdate;
  /** Fact that the link of an agent reports for the notice, together with `computer`. */
  readonly fact: { readonly type: `computer.${string}`; readonly collection?: string };
  /** Order that tells the link of a computer about the change; it includes the `mark` of the new state. */
  readonly order: { readonly type: `${string}.changed`; readonly collection?: string };
  /**
   * Kind of mark that identifies a state. `signature`: a text that is equal while the data is unchanged. `revision`:
   * a change counter that starts at 0, a value every peer knows.
   */
  readonly mark: keyof MarkTypes;
  /**
   * Tells whether the link merges changes that follow each other. Otherwise the source has merged them, and each is
   * announced at once.
   */
  readonly isGathered: boolean;
  /** View of an agent that is refreshed by this notice. For a computer that enters, tools are always requested. */
  readonly view: 'tools' | 'desktop' | 'finder' | 'skills' | null;
  /** Tells whether the host of an agent receives the fact itself; otherwise it only gets changes that a view finds. */
  readonly isForHost: boolean;
}
interface MarkTypes {
  readonly signature: string;
  readonly revision: number;
}
export type Mark = MarkTypes[keyof MarkTypes];

/**
 * Notification table. Keys are those of the public `events` and `notices`; the order is that in which a link
 * announces changes.
 */
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
  updateSkills: {
    event: 'server:update_skills',
    notice: 'notify:update_skills',
    schema: computerUpdate,
    fact: { type: 'computer.collectionChanged', collection: 'skills' },
    order: { type: 'skills.changed' },
    mark: 'signature',
    isGathered: false,
    view: 'skills',
    isForHost: false,
  },
} as const satisfies Readonly<Record<string, Row>>;

type Rows = typeof notifications;
export type What = keyof Rows;
export type Notification = Rows[What];
export const whats = Object.keys(notifications) as What[];
export const rows: readonly Notification[] = Object.values(notifications);

/** Column of the notification table, by the key of the row. */
export type Column<Name extends keyof Row> = { readonly [W in What]: Rows[W][Name] };
export const columnOf = <Name extends keyof Row>(name: Name): Column<Name> =>
  Object.fromEntries(whats.map((what) => [what, notifications[what][name]])) as Column<Name>;

type FactOf<R> = R extends Notification ? R['fact'] & { readonly computer: string } : never;
type OrderOf<R> = R extends Notification ? R['order'] & Pick<MarkTypes, R['mark']> : never;
/** Facts that the link of an agent reports about changes at computers. */
export type NotificationFact = FactOf<Notification>;
/** Orders that tell the link of a computer about changes. */
export type NotificationOrder = OrderOf<Notification>;
/** Facts about changes that the host of an agent receives directly. */
export type HostFact = FactOf<Extract<Notification, { readonly isForHost: true }>>;

const byNotice = new Map<string, Notification>(rows.map((row) => [row.notice, row]));
export const notificationOf = (notice: string): Notification | undefined => byNotice.get(notice);

type Told = { readonly type: string; readonly collection?: string };
const isSame = (a: Told, b: Told): boolean => a.type === b.type && a.collection === b.collection;
export const isForHost = (fact: NotificationFact): fact is HostFact =>
  rows.some((row) => row.isForHost && isSame(row.fact, fact));
/** Returns the view of an agent that a fact makes out of date. */
export const viewOf = (fact: NotificationFact): Notification['view'] | undefined =>
  rows.find((row) => isSame(row.fact, fact))?.view;
/** Returns the key of the notification table under which an order of this type stands; every order has one. */
export const whatOf = (order: NotificationOrder): What =>
  whats.find((what) => isSame(notifications[what].order, order)) as What;
export const markOf = (order: NotificationOrder): Mark =>
  'revision' in order ? order.revision : order.signature;
