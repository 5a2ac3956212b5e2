/**
 * Event names, socket types and the test of docs/wire.md derive from it (docs/recipes.md: how to add one). Each tells
 * the name of the computer only (`computerUpdate`): receivers ask for the new data.
 */
interface Row {
  readonly event: `server:${string}`;
  /** To the other members, under the registered name of the computer. */
  readonly notice: `notify:${string}`;
  readonly fact: { readonly type: `computer.${string}`; readonly collection?: string };
  /** To the link of a computer; includes the `mark` of the new state. */
  readonly order: { readonly type: `${string}.changed`; readonly collection?: string };
  /** `signature`: equal while the data is unchanged. `revision`: a counter from 0, which every peer knows. */
  readonly mark: keyof MarkTypes;
  /** The link merges changes that follow each other; otherwise the source did, and each is announced at once. */
  readonly isGathered: boolean;
  /** For a computer that enters, tools are always requested. */
  readonly view: 'tools' | 'desktop' | 'finder' | 'skills' | null;
  /** Otherwise the host of an agent only gets changes that a view finds. */
  readonly isForHost: boolean;
}
interface MarkTypes {
  readonly signature: string;
  readonly revision: number;
}
export type Mark = MarkTypes[keyof MarkTypes];

/** Keys are those of the public `events` and `notices`; a link announces changes in this order. */
export const notifications = {
  updateToolList: {
    event: 'server:update_tool_list',
    notice: 'notify:update_tool_list',
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

export type Column<Name extends keyof Row> = { readonly [W in What]: Rows[W][Name] };
export const columnOf = <Name extends keyof Row>(name: Name): Column<Name> =>
  Object.fromEntries(whats.map((what) => [what, notifications[what][name]])) as Column<Name>;

type FactOf<R> = R extends Notification ? R['fact'] & { readonly computer: string } : never;
type OrderOf<R> = R extends Notification ? R['order'] & Pick<MarkTypes, R['mark']> : never;
export type NotificationFact = FactOf<Notification>;
export type NotificationOrder = OrderOf<Notification>;
export type HostFact = FactOf<Extract<Notification, { readonly isForHost: true }>>;

const byNotice = new Map<string, Notification>(rows.map((row) => [row.notice, row]));
export const notificationOf = (notice: string): Notification | undefined => byNotice.get(notice);

type Told = { readonly type: string; readonly collection?: string };
const isSame = (a: Told, b: Told): boolean => a.type === b.type && a.collection === b.collection;
export const isForHost = (fact: NotificationFact): fact is HostFact =>
  rows.some((row) => row.isForHost && isSame(row.fact, fact));
export const viewOf = (fact: NotificationFact): Notification['view'] | undefined =>
  rows.find((row) => isSame(row.fact, fact))?.view;
export const whatOf = (order: NotificationOrder): What =>
  whats.find((what) => isSame(notifications[what].order, order)) as What;
export const markOf = (order: NotificationOrder): Mark =>
  'revision' in order ? order.revision : order.signature;
