import { createFlap } from './own-tools.mjs';

/** Document of one page after a number of changes, as a read at level 1 returns it. */
const documentOf = (uri, changes) => ({
  doc_ref: decodeURIComponent(uri.split('/')[3] ?? ''),
  uri,
  file_uri: `file:///${uri.slice('dpe://'.length)}`,
  file_type: 'md',
  title: `${uri}, after change ${changes}`,
  page_count: 1,
  keywords: ['drawn'],
  last_modified: new Date(Date.UTC(2026, 0, 1, 0, changes)).toISOString(),
});
const pageOf = (uri, document) => ({
  page_index: Number(/\/pages\/(\d+)/.exec(uri)?.[1] ?? 0),
  title: document.title,
  doc_ref: document.doc_ref,
  uri,
  elements: [],
  element_count: 0,
});
const isDocument = (uri) => /^dpe:\/\/[^/?#]+\/[^/?#]+$/.test(uri);
const isShown = (uri) => /^(window|dpe):/.test(uri);
const isCatalogue = (uri) => /^dpe:\/\/[^/?#]+$/.test(uri);
const jsonOf = (value) => ({ mimeType: 'application/json', text: JSON.stringify(value) });

/** Content of a resource after a number of changes: a document, a catalogue with one document, or a text with the number. */
function contentOf(uri, changes) {
  if (isDocument(uri)) return jsonOf(documentOf(uri, changes));
  if (isCatalogue(uri)) return jsonOf({ documents: [documentOf(`${uri}/listed`, changes)], total_count: 1 });
  return { mimeType: 'text/plain', text: `${uri}, after change ${changes}` };
}
/** URI as a server may write it in another form. The query of a window changes only its display, not its identity. */
const written = (uri, as) => {
  if (as === 'listed' || !isShown(uri)) return uri;
  const path = uri.replace(/\?.*$/, '');
  if (as === 'part') return `${path}${isCatalogue(path) ? '/listed' : ''}/pages/0`;
  return `${path.replace(/^\w+:\/\/[^/]+/, (start) => start.toUpperCase())}?seen=1`;
};
/** URI of the n-th added resource, of the same kind as the given one. */
const another = (uri, server, n) => `${uri.split(':')[0]}://${server}/new${n}`;

/**
 * Resources of one process: those of its config, later changes, and subscriptions. `noted` is called for each resource whose
 * content changed.
 */
export function createResources(server, configured, noted = () => {}) {
  const lasting = [...configured];
  const revisions = new Map();
  const subscribed = new Set();
  let newest;
  let changes = 0;
  let touched = 0;
  let isHidden = false;
  const list = () => [...lasting.slice(isHidden ? 1 : 0), ...(newest === undefined ? [] : [newest])];
  const revisionOf = (uri) => revisions.get(uri) ?? 0;
  /** Treats a page as part of the document that is listed. */
  const partOf = (uri) => {
    const base = /^dpe:\/\/[^/?#]+\/[^/?#]+/.exec(uri)?.[0];
    return base !== undefined && list().includes(base) ? base : undefined;
  };
  return {
    /** URIs of the resources, as a list would have them now. */
    list,
    /** Content of a resource for a read; undefined when it does not exist. */
    read: (uri) => {
      if (list().includes(uri)) return [{ uri, ...contentOf(uri, revisionOf(uri)) }];
      const document = partOf(uri);
      if (document === undefined) return undefined;
      return [{ uri, ...jsonOf(pageOf(uri, documentOf(document, revisionOf(document)))) }];
    },
    /** Number of changes of the list. */
    get revision() {
      return changes;
    },
    revisionOf,
    get newest() {
      return newest;
    },
    get first() {
      return lasting[0];
    },
    renew: () => {
      if (lasting.length === 0) return;
      newest = another(lasting[changes % lasting.length], server, changes + 1);
      changes += 1;
    },
    /** Changes the next resource in turn, and returns its URI. */
    change: () => {
      const uri = list()[touched % Math.max(1, list().length)];
      touched += 1;
      if (uri === undefined) return undefined;
      revisions.set(uri, revisionOf(uri) + 1);
      noted(uri);
      return uri;
    },
    hide: (isAway) => {
      if (isHidden === isAway || lasting.length === 0) return;
      changes += 1;
      isHidden = isAway;
    },
    subscribe: (uri) => void subscribed.add(uri),
    unsubscribe: (uri) => void subscribed.delete(uri),
    isSubscribed: (uri) => subscribed.has(uri),
  };
}

/**
 * Creates the faults that change resources, the same for every player. Gets the resources, functions to announce changes and to
 * wait (never longer than the server lives), and a test whether its faults are over. `mention` announces a resource that is not
 * listed yet.
 */
export function createResourceChanges({ resources, say, update, mention = update, after, isOver }) {
  /** Tells whether a burst is running, because a new one for each read would cause ever more reads and bursts. */
  let isChanging = false;
  const change = (left, everyMs, as) => {
    isChanging = left > 0 && !isOver();
    if (!isChanging) return;
    const uri = resources.change();
    if (uri !== undefined && resources.isSubscribed(uri)) update(uri, written(uri, as));
    isChanging = left > 1;
    if (isChanging) after(everyMs, () => change(left - 1, everyMs, as));
  };
  return new Map(
    Object.entries({
      'resource.renew': ({ by }) => {
        if (resources.first === undefined) return;
        resources.renew();
        if (by === 'update' && isShown(resources.newest)) mention(resources.newest);
        else say('resources');
      },
      'resource.flap': createFlap(resources, () => say('resources'), after, isOver),
      'resource.change': ({ n, everyMs, as = 'listed' }) => {
        if (!isChanging) change(n, everyMs, as);
      },
      'resource.silentChange': ({ of }) => void (of === 'list' ? resources.renew() : resources.change()),
      // Announces a resource even without a subscription.
      'resource.lie': () => {
        if (resources.first !== undefined) update(resources.first);
      },
    }),
  );
}

const mapped = (contents, change) => contents.map((item) => ({ ...item, ...change(item) }));
/** Changes to the contents of a read by fault, the same for every player. */
export const distortions = {
  'resource.other': (contents) =>
    mapped(contents, ({ uri, text }) => ({
      uri: `${uri}-other`,
      text: text.replaceAll(uri, `${uri}-other`),
    })),
  'resource.garbled': (contents) => mapped(contents, () => ({ text: '{"half":' })),
  'resource.blob': (contents) =>
    contents.map(({ uri }) => ({ uri, mimeType: 'application/octet-stream', blob: 'AAAA' })),
  'resource.empty': (contents, { of }) => (of === 'text' ? mapped(contents, () => ({ text: '' })) : []),
};
/** Error code of MCP for a resource that does not exist. */
export const noResource = -32_002;
