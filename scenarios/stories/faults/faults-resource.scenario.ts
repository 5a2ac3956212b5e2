import { scenario, type Scene, type ServerRef } from '../../stage/plan/index.ts';
import type { ServerData } from '../../stage/plan/plan.ts';

/** `wait` is answered after all earlier requests. */
const tools = { go: {}, wait: {} };
const windows = ['window://a/1', 'window://a/2'];
const documents = ['dpe://a/1', 'dpe://a/2'];
const subscribed = (
  s: Scene,
  options: Omit<ServerData, 'name'> & Pick<Required<ServerData>, 'resources'>,
) => {
  const a = s.server('a', { tools, ...options });
  s.ready();
  s.asked(a, 'resources/subscribe', options.resources.length);
  s.settled(s.call('wait'));
  return a;
};
/** The resources were shown once, so that all of them are known. */
const known = (s: Scene, resources: readonly string[]): ServerRef => {
  const a = subscribed(s, { resources });
  s.shown(s.show(resources[0]?.startsWith('dpe') ? 'finder' : 'desktop'));
  s.expect(a).requests('resources/read', resources.length);
  return a;
};
const happened = (s: Scene): void => {
  s.settled(s.call('go'));
  s.run(1_500);
};

scenario('a window that appears is told, and shown without reading the others again', (s) => {
  const a = known(s, windows);
  s.fault(a, 'resource.renew', { tool: 'go' });
  happened(s);
  const now = s.shown(s.show('desktop'));
  s.expect(now).shows({ uris: [...windows, 'window://a/new1'], missing: [], code: null });
  s.expect(a).requests('resources/read', 3);
});

scenario('a window that vanishes and comes back is not shown in between, and read again then', (s) => {
  const a = known(s, windows);
  s.fault(a, 'resource.flap', { tool: 'go', everyMs: 4_000 });
  happened(s);
  s.expect(s.shown(s.show('desktop'))).shows({ uris: ['window://a/2'] });
  s.run(5_000);
  s.expect(s.shown(s.show('desktop'))).shows({ uris: windows });
  s.expect(a).requests('resources/read', 3);
});

scenario('a document that changes is told and read again, and no other', (s) => {
  const a = known(s, documents);
  s.fault(a, 'resource.change', { tool: 'go', n: 3, everyMs: 1 });
  happened(s);
  const now = s.shown(s.show('finder'));
  s.expect(now).shows({ texts: ['dpe://a/1, after change 2', 'dpe://a/2, after change 1'], total: 2 });
  s.expect(a).requests('resources/read', 4);
});

scenario('what changes without a word is shown as it was, and read again with the next word', (s) => {
  const a = known(s, windows);
  s.fault(a, 'resource.silentChange', { tool: 'go', times: 1 });
  happened(s);
  s.expect(s.shown(s.show('desktop'))).shows({ texts: ['window://a/1, after change 0'] });
  s.expect(a).requests('resources/read', 2);
});

for (const [what, fault, options, missing] of [
  ['is refused', 'resource.gone', {}, true],
  ['is half of something', 'resource.garbled', {}, true],
  ['has bytes for a text', 'resource.blob', {}, true],
  ['is empty', 'resource.empty', { of: 'contents' }, true],
  ['is no list of contents', 'rpc.schemaMismatch', { when: 'read' }, true],
  ['is an error', 'rpc.error', { when: 'read', code: -32_000 }, true],
  ['is another one', 'resource.other', {}, false],
] as const)
  scenario(`a document whose read ${what} falls alone`, (s) => {
    const a = subscribed(s, { resources: documents });
    s.fault(a, fault, { ...options, times: 1 });
    s.expect(s.shown(s.show('finder'))).shows(
      missing
        ? { uris: ['dpe://a/2'], missing: ['a'], code: null }
        : { uris: ['dpe://a/1-other', 'dpe://a/2'], missing: [] },
    );
    s.expect(s.shown(s.show('finder'))).shows({ total: 2, missing: [] });
    s.expect(a).requests('resources/read', missing ? 3 : 2);
  });

for (const [what, fault, options, texts] of [
  ['has bytes for a text is not shown', 'resource.blob', {}, null],
  ['is empty is shown by its name', 'resource.empty', { of: 'text' }, ''],
] as const)
  scenario(`a window that ${what}`, (s) => {
    s.fault(subscribed(s, { resources: windows }), fault, { ...options, times: 1 });
    const shown = s.shown(s.show('desktop'));
    s.expect(shown).shows({ uris: texts === null ? ['window://a/2'] : windows, missing: [] });
  });

scenario('a read that hangs costs its own window, once the time of a question; a slow one nothing', (s) => {
  const a = s.server('a', { tools, resources: windows });
  const b = s.server('b', {
    tools: { other: {} },
    resources: ['window://b/1'],
    faults: [{ fault: 'rpc.late', when: 'read', ms: 200 }],
  });
  s.fault(a, 'rpc.never', { when: 'read', times: 1 });
  s.timing({ aggregateMs: 2_000 });
  s.differs('which of two servers has its lists first is a matter of a moment', ['heard']);
  s.ready();
  s.asked(a, 'resources/subscribe', 2);
  s.asked(b, 'resources/subscribe', 1);
  s.settled(s.call('other'));
  s.settled(s.call('wait'));
  const shown = s.shown(s.show('desktop'));
  s.expect(shown).shows({ uris: ['window://a/2', 'window://b/1'], missing: ['a'] });
  s.expect(s.shown(s.show('desktop'))).shows({ uris: ['window://a/2', 'window://b/1'], missing: ['a'] });
  const fresh = s.shown(s.show('desktop', { fresh: true }));
  s.expect(fresh).shows({ uris: [...windows, 'window://b/1'], missing: [] });
});

scenario('a resource is read for anyone who asks, host or agent, and refused where there is none', (s) => {
  subscribed(s, { resources: [...windows, ...documents] });
  s.differs('whether the agent has joined before the first list of resources came is open', ['heard']);
  s.office();
  const window = s.read('window://a/1');
  const page = s.agentRead('dpe://a/2/pages/0');
  const elsewhere = s.agentRead('dpe://elsewhere/1');
  const wrong = s.agentRead('dpe://');
  const gone = s.read('dpe://a/3');
  const finder = s.agentShow('finder', { limit: 1, offset: 1 });
  const desktop = s.agentShow('desktop', { desktop_size: 1 });
  s.shown(window, page, elsewhere, wrong, gone, finder, desktop);
  s.expect(window).shows({ uris: ['window://a/1'], texts: ['window://a/1, after change 0'], code: null });
  s.expect(page).shows({ uris: ['dpe://a/2/pages/0'], code: null });
  s.expect(elsewhere).shows({ code: 4201 });
  s.expect(wrong).shows({ code: 4204 });
  s.expect(gone).shows({ code: 4201 });
  s.expect(finder).shows({ uris: ['dpe://a/2'], total: 2 });
  s.expect(desktop).shows({ uris: ['window://a/1'] });
});

scenario('a server that dies under a read is missing, and back with its windows', (s) => {
  const a = subscribed(s, { resources: windows, faults: [{ fault: 'proc.exit', when: 'read', code: 3 }] });
  s.later(a, 2);
  s.shown(s.show('desktop'));
  s.reaches(a, 'ready');
  s.asked(a, 'resources/subscribe', 4);
  s.settled(s.call('wait'));
  s.expect(s.shown(s.show('desktop'))).shows({ uris: windows, missing: [] });
});

scenario('windows of a server behind a URL are known again when it has forgotten the session', (s) => {
  s.virtualOnly('which read is the third is a matter of when its subscriptions are confirmed');
  const a = subscribed(s, { isRemote: true, resources: windows });
  s.fault(a, 'net.sessionGone', { when: 'read', from: 3, times: 1 });
  s.fault(a, 'resource.change', { tool: 'go', times: 1 });
  s.shown(s.show('desktop'));
  s.settled(s.call('go'));
  s.run(1_500);
  s.shown(s.show('desktop'));
  s.asked(a, 'resources/subscribe', 4);
  s.settled(s.call('wait'));
  const now = s.shown(s.show('desktop'));
  s.expect(now).shows({ uris: windows, texts: ['window://a/1, after change 0'], missing: [] });
});
