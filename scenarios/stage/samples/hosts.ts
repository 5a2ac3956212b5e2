import type { AgentOrder } from '../../../machines/agent/agent.machine.ts';
import { rows, whats, type NotificationOrder } from '../../../machines/protocol/notifications.ts';
import { answers, host, request, type OrdersOf, type Sample, refusals, waits } from './sample.ts';
import type { ComputerOrder } from '../../../machines/computer/computer.machine.ts';
import { timing } from '../../../machines/kernel/timing.ts';
import { planOf } from '../server-plan.ts';
import { landing, part } from './uploads.ts';
import type { LinkOrder } from '../../../machines/link/link.events.ts';
import type { LinkContext } from '../../../machines/link/link.machine.ts';
import type { OfferOrder } from '../../../machines/skills/offer.rules.ts';
import type { ServerOffer, SkillsOrder } from '../../../machines/skills/skills.rules.ts';
import type { DownloadOrder } from '../../../machines/blobs/download.rules.ts';
import type { BlobPart, BlobsOrder } from '../../../machines/blobs/blobs.rules.ts';
import type { SettingsOrder } from '../../../machines/settings/settings.rules.ts';

const { timeoutMs: _, isConfirmed: __, meta: ___, hasOutput: ____, ...asked } = request;

const ticket = { ticket: 't', reqId: 'r' };
const blobRead = { ticket: 't', handle: 'h', offset: 0, maxBytes: 1, reader: 'a' };
const blobWanted = { reqId: 'r', ...blobRead, replyTo: host } as const;
const linkChanged = { type: 'link.changed', reason: null, refusal: null };
const viewed = { computer: 'c', value: null, failure: null };

export const agent: Sample = {
  input: { link: { url: 'u', name: 'n', office: 'o' } },
  orders: {
    'agent.call': [{ ...asked, computer: 'c', timeoutMs: 1 }],
    'agent.query': [
      { ...asked, method: 'm', request: {} },
      { ...asked, method: 'client:get_desktop', request: { computer: 'c' } },
    ],
    'agent.follow': [{ collection: 'finder' }],
    'agent.download': [{ ticket: 'd', computer: 'c', handle: 'h', replyTo: host }],
    'download.told': [{ ticket: 'd', order: { type: 'part.taken' } }],
    'call.cancel': [{ ticket: 't', reason: 'x' }],
    close: [{}],
  } satisfies OrdersOf<AgentOrder>,
  owned: {
    link: {
      says: [
        ...['connecting', 'joined', 'waiting'].map((stage) => ({ ...linkChanged, stage })),
        { type: 'computer.entered', computer: 'c' },
        { type: 'computer.left', computer: 'c' },
        ...rows.map(({ fact }) => ({ ...fact, computer: 'c' })),
      ],
    },
    view: { says: [{ type: 'view.toolsChanged', computer: 'c', tools: [], failure: null }] },
    desktopView: { says: [{ type: 'view.collectionChanged', collection: 'desktop', ...viewed }] },
    finderView: { says: [{ type: 'view.collectionChanged', collection: 'finder', ...viewed }] },
    call: {},
    download: {},
  },
  answers: [
    ...answers,
    { type: 'ask.answered', result: { sessions: [{ name: 'c', role: 'computer' }], req_id: 'room.n.1' } },
  ],
  tellApart: (c) => [c.computers, Math.min(c.reopens as number, 5)],
};

const unheard = { failure: null, attempt: 0, nextTryMs: null };
const clientChanged = { type: 'client.changed', server: 's', isOffered: false, ...unheard };
const noChange = { added: [], removed: [], changed: [], why: 'x', isWithdrawn: false };
const ofTools = { server: 's', list: 'tools' };
const plan = planOf('s', { budget: 2 }, timing, true);

export const computer: Sample = {
  input: { servers: [plan], link: null, shown: {} },
  orders: {
    'call.request': [request],
    'call.cancel': [{ ticket: 't', reason: 'x' }],
    'server.start': [{ server: 's' }],
    'server.stop': [{ server: 's' }],
    'aggregate.wanted': [{ collection: 'desktop', ...ticket, query: {}, replyTo: host }],
    'resource.wanted': [{ collection: 'finder', ...ticket, uri: 'dpe://h/d', replyTo: host }],
    'resources.watch': [{ server: 's', uris: ['u:a'], by: 'host' }],
    'servers.set': [
      { servers: [plan], shown: {} },
      { servers: [], shown: { a: 1 } },
    ],
    'office.join': [{ link: { url: 'u', role: 'computer', name: 'n', office: 'o' } }],
    'office.leave': [{}],
    'skills.look': [{}],
    'skills.wanted': [{ ...ticket, replyTo: host }],
    'skill.wanted': [{ ...ticket, name: 'a', replyTo: host }],
    'landing.set': [{ landing }, { landing: null }],
    'blob.wanted': [blobWanted],
    'calls.refuse': [{}],
    close: [{}],
  } satisfies OrdersOf<ComputerOrder>,
  told: [
    { type: 'tool.approved', server: 's', tool: 'x', generation: 1, caller: { replyTo: host, agent: null } },
    { type: 'call.overdue', ticket: 't' },
    { type: 'call.asked', ticket: 't' },
    { type: 'questions.due' },
    { type: 'resources.overdue', ticket: 't' },
    { type: 'part.wanted', ...part },
  ],
  owned: {
    client: {
      says: [
        { ...clientChanged, stage: 'connecting' },
        { ...clientChanged, stage: 'ready', isOffered: true },
        { ...clientChanged, stage: 'waiting', attempt: 1 },
        { type: 'client.waits', server: 's', waits },
        { type: 'permit.wanted', server: 's', again: true },
        { type: 'permit.released', server: 's' },
        { type: 'server.proven', server: 's' },
        { type: 'server.rolledBack', server: 's', generation: 1, failure: null },
        { type: 'resource.updated', server: 's', uri: 'u:r' },
        { type: 'resources.watched', server: 's', by: 'desktop', uris: ['window://h/a'], isUnderWay: true },
        { type: 'server.shows', server: 's', resources: { listChanged: true, subscribe: true } },
        { type: 'catalog.listed', server: 's', list: 'resources', entries: [], failure: null },
        { type: 'catalog.restless', ...ofTools, failure: { code: 'ListRestless', message: 'x' } },
        { type: 'catalog.restless', ...ofTools, failure: null },
        { type: 'catalog.changed', ...ofTools, entries: [], revision: 1, ...noChange },
      ],
      outputs: [{ how: 'closed' }],
    },
    desktop: {
      says: [
        { type: 'aggregate.changed', collection: 'desktop', signature: 'a' },
        { type: 'aggregate.noticed', collection: 'desktop', text: 'x' },
        { type: 'resources.relist', server: 's', by: 'desktop', n: 1 },
      ],
    },
    finder: { says: [{ type: 'resources.watch', server: 's', uris: ['dpe://h/d'], by: 'finder' }] },
    skills: {
      says: [
        { type: 'skills.changed', signature: 'a' },
        { type: 'skills.noticed', text: 'x' },
        { type: 'resources.watch', server: 's', uris: ['skill://h/b/SKILL.md'], by: 'skills' },
      ],
    },
    link: {
      says: [
        { ...linkChanged, stage: 'joined' },
        { type: 'tools.wanted', ...ticket, replyTo: 'owner/it/link' },
        { type: 'config.wanted', ...ticket, replyTo: 'owner/it/link' },
        { type: 'resources.wanted', ...ticket, server: 's', replyTo: 'owner/it/link' },
        { type: 'asker.lost', asker: 'owner/it/link' },
      ],
    },
  },
  tellApart: (c) => [
    c.open,
    c.reopens,
    c.link === null,
    // Told apart only in a young computer, because each further fact doubles the walk.
    c.reopens === 0 && c.link === null && c.open === 1 && c.landing !== null,
    (c.servers as unknown[]).length,
    (c.leaving as unknown[]).length,
  ],
  passedThrough: ['serving.judging'],
};

type Facts =
  | NotificationOrder['type']
  | 'tools.listed'
  | 'config.shown'
  | 'aggregate.shown'
  | 'resource.read'
  | 'resources.shown'
  | 'skills.shown'
  | 'skill.shown'
  | 'part.taken'
  | 'blob.shown'
  | 'call.settled'
  | 'call.progressed'
  | 'deadline.passed';

const succeeded = { end: 'succeeded', outcome: 'succeeded' };
/** Walking over all marks would not end. */
const newsOf = ({ marks, announced }: Pick<LinkContext, 'marks' | 'announced'>): unknown => [
  whats.filter((what) => (marks[what] ?? null) !== (announced[what] ?? null)),
  Object.keys(announced).length,
];

export const link: Sample = {
  input: { url: 'u', role: 'agent', name: 'n', office: 'o' },
  orders: { close: [{}] } satisfies OrdersOf<LinkOrder, Facts>,
  leaves: {
    socket: [
      { type: 'link.up' },
      { type: 'link.refused', reason: 'x' },
      { type: 'link.refused', reason: 'x', refusal: 'version', version: '0.3.1' },
      { type: 'link.down', reason: 'x' },
      { type: 'join.accepted' },
      { type: 'join.refused', text: 'x' },
      { type: 'leave.done' },
      { type: 'agent.called', ...request },
      { ...request, type: 'agent.repeated' },
      { type: 'agent.cancelled', ticket: 't' },
      { type: 'agent.askedTools', ...ticket },
      { type: 'agent.askedConfig', ...ticket },
      { type: 'agent.askedCollection', collection: 'desktop', ...ticket, query: {} },
      { type: 'agent.askedResource', collection: 'finder', ...ticket, uri: 'dpe://h/d' },
      { type: 'agent.askedResources', ...ticket, server: 's' },
      { type: 'agent.askedSkills', ...ticket },
      { type: 'agent.askedSkill', ...ticket, name: 'a' },
      { type: 'agent.putPart', ...ticket, agent: 'a', upload: 'u', offset: 0, bytes: 1, isLast: true },
      { type: 'agent.askedBlob', reqId: 'r', ...blobRead },
      { type: 'agent.left', agent: 'a' },
      { type: 'computer.entered', computer: 'c' },
      { type: 'computer.left', computer: 'c' },
      ...rows.map(({ fact }) => ({ ...fact, computer: 'c' })),
    ],
  },
  told: [
    ...rows.map(({ order, mark }) => ({ ...order, [mark]: mark === 'revision' ? 1 : 'a' })),
    { type: 'tools.changed', signature: 'b' },
    { type: 'tools.listed', ...ticket, tools: [], signature: 'a' },
    { type: 'config.shown', ticket: 't', config: {} },
    { type: 'aggregate.shown', ...ticket, body: { desktops: [] }, missing: [], failure: null },
    { type: 'resource.read', ...ticket, contents: [], failure: null },
    { type: 'resources.shown', ...ticket, resources: [], nextCursor: null, failure: null },
    { type: 'skills.shown', ...ticket, skills: [], failure: null },
    { type: 'skill.shown', ...ticket, file: null, failure: { code: 4014, message: 'x' } },
    { type: 'part.taken', ...ticket, upload: 'u', offset: 0, received: 1, landed: null, failure: null },
    { type: 'blob.shown', ...ticket, part: null, failure: { code: 4018, message: 'x' } },
    { type: 'call.progressed', ticket: 't', progress: 1 },
    { type: 'call.settled', ...request, server: 's', ...succeeded, result: {}, failure: null },
  ],
  tellApart: (c) => newsOf(c as unknown as LinkContext),
  /** The refusal can only come before `link.up`; until then a close ends the link at once. */
  notAfterClose: ['link.refused'],
};

const edits = [{ path: ['mcpServers', 'a'], remove: true }] as const;
const good = { kind: 'good', value: {}, mark: 'm' };
const found = [
  good,
  { ...good, value: { a2c: { version: 99 } }, mark: 'f' },
  { kind: 'wrong', mistakes: [{ path: '', message: 'is a folder' }] },
  { kind: 'emptied', mistakes: [{ path: '', message: 'is empty' }] },
  { kind: 'none' },
];
export const settings: Sample = {
  input: { file: 'a2c.json' },
  orders: {
    close: [{}],
    'settings.change': [{ ticket: 't', edits }],
    'file.changed': [{}],
  } satisfies OrdersOf<SettingsOrder>,
  answers: [...found.map((result) => ({ type: 'ask.answered', result })), ...refusals.slice(0, 1)],
  tellApart: (context) => [
    ...[context['isOld'], (context['orders'] as unknown[]).length > 0],
    ...[context['mark'], context['file']],
  ],
};

const offered = {
  roots: [{ uri: 'skill://h/b' }],
  uris: ['skill://h/b', 'skill://h/b/SKILL.md'],
  refused: [],
};
const ofServer = { server: 's', bundle: 's', session: 'client', isWatched: true };
const offeredRef = { name: 'mcp:s:b', source: 'mcp:s', path: '', description: 'x', uri: 'skill://h/b' };
export const offer: Sample = {
  input: { server: 's', bundle: 's', session: 'client', offered },
  orders: {
    'offer.set': [
      { offered, isRenewed: true },
      { offered: { roots: [], uris: [], refused: [] }, isRenewed: false },
    ],
    'offer.updated': [{ uri: 'skill://h/b/SKILL.md' }],
    'offer.read': [
      {
        root: 'skill://h/b',
        wanted: { type: 'skill.wanted', ...ticket, name: 'mcp:s:b', replyTo: host },
      },
    ],
    'offer.overdue': [{ ticket: 't' }],
    close: [{}],
  } satisfies OrdersOf<OfferOrder>,
  answers: [
    // One result for all questions, because an answer of the walk may belong to any.
    {
      type: 'ask.answered',
      result: { contents: [{ uri: 'u', text: 'x' }], ref: offeredRef, kind: 'refused', reason: 'not_found' },
    },
    { type: 'ask.answered', result: { refused: 'x', kind: 'refused', reason: 'not_found' } },
    ...refusals.slice(0, 1),
  ],
  told: [{ type: 'owner.ended', why: 'done' }],
  tellApart: (c) => [
    (c['offered'] as { roots: unknown[] }).roots.length,
    Object.keys(c['read'] as object).length,
    (c['running'] as unknown[]).length,
    Object.keys(c['files'] as object).length,
  ],
};

/** 3 of the 15 bytes of a content: one part more than a download asks for at once. */
const partAt = (offset: number) => ({
  type: 'ask.answered',
  id: `part.${offset}`,
  result: {
    blob_handle: 'h',
    mime_type: 'a/b',
    total_size: 15,
    sha256: 'x',
    chunk_offset: offset,
    eof: offset === 12,
    blob: 3,
    req_id: `d.${offset}`,
  },
});
export const download: Sample = {
  input: {
    ticket: 'd',
    computer: 'c',
    handle: 'h',
    agent: 'a',
    link: 'agent/link',
    mostTries: 2,
    replyTo: host,
  },
  orders: {
    'part.taken': [{}],
    'content.right': [{}],
    'content.wrong': [{ failure: { code: 500, message: 'x' } }],
    close: [{}],
  } satisfies OrdersOf<DownloadOrder>,
  answers: [
    ...[0, 3, 6, 9, 12].map(partAt),
    { type: 'ask.answered', result: { code: 404, message: 'x' } },
    { type: 'ask.answered', result: { code: 4018, message: 'x' } },
    { type: 'ask.refused', failure: { code: 'LinkLost', message: 'x' }, sent: true },
    ...refusals.slice(0, 1),
  ],
  tellApart: (c) => [
    ...[c['asked'], Object.keys(c['held'] as object), c['next'], c['given'], c['untaken'], c['tries']],
    c['partBytes'] === null,
  ],
};

export const blobs: Sample = {
  input: { most: 2 },
  orders: {
    'blob.wanted': [blobWanted, { ...blobWanted, ticket: 'u' }],
    'blob.overdue': [{ ticket: 't' }],
    close: [{}],
  } satisfies OrdersOf<BlobsOrder>,
  answers: [
    { type: 'ask.answered', result: { kind: 'refused', reason: 'gone' } satisfies BlobPart },
    ...refusals.slice(0, 1),
  ],
  tellApart: (c) => [Object.keys(c['reading'] as object).length],
};

export const skills: Sample = {
  input: {},
  orders: {
    'skills.look': [{}],
    'skills.wanted': [{ ...ticket, replyTo: host }],
    'skill.wanted': [
      { ...ticket, name: 'a', replyTo: host },
      { ticket: 'u', reqId: 'r', name: 'B', replyTo: host },
      { ticket: 'v', reqId: 'r', name: 'mcp:s:b', replyTo: host },
    ],
    'skill.overdue': [{ ticket: 't' }],
    'skills.offered': [
      { ...ofServer, offered: null, isAwaited: true },
      { ...ofServer, offered, isAwaited: false },
      { ...ofServer, offered: null, isAwaited: false },
    ],
    'resource.updated': [{ server: 's', uri: 'skill://h/b/SKILL.md' }],
    close: [{}],
  } satisfies OrdersOf<SkillsOrder>,
  owned: {
    offer: {
      says: [
        { type: 'offer.known', server: 's', skills: [offeredRef], refused: [] },
        { type: 'offer.known', server: 's', skills: [], refused: ['y'] },
      ],
    },
  },
  answers: [
    {
      type: 'ask.answered',
      result: {
        skills: [{ name: 'a', source: 'user', path: '/a', description: 'x' }],
        refused: ['x'],
        kind: 'refused',
        reason: 'not_found',
      },
    },
    { type: 'ask.answered', id: 'list', result: { skills: [], refused: [] } },
    ...refusals.slice(0, 1),
  ],
  tellApart: (c) => [
    c['signature'],
    (c['waiting'] as unknown[]).length > 0,
    Object.keys(c['reading'] as object).length,
    c['failure'] !== null,
    Object.values(c['offers'] as Record<string, ServerOffer>).map(({ skills: all, isSettled, isOpen }) => [
      all.length,
      isSettled,
      isOpen,
    ]),
  ],
};
