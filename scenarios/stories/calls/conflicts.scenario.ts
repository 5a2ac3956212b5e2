import { scenario } from '../../stage/plan/index.ts';

const prefix = { onConflict: 'prefix' } as const;

scenario('two servers with one tool name both start, and the newcomer’s tool alone is refused', (s) => {
  // Started one after the other, because the order of two servers that start at once differs between machines.
  const [a, b] = [
    s.server('a', { tools: { t: {}, s: {} } }),
    s.server('b', { tools: { r: {}, t: {} }, autoStart: false }),
  ];
  s.ready();
  s.start(b);
  s.reaches(b, 'ready');
  const calls = ['t', 's', 'r'].map((tool) => s.call(tool));
  s.settled(...calls);
  for (const call of calls) s.expect(call).settles('succeeded');
  s.expect(a).requests('tools/call', 2);
  s.expect(b).requests('tools/call', 1);
  s.expect(a).visits('connecting', 'ready');
  s.expect(b).visits('idle', 'connecting', 'ready');
});

scenario('each tool is called by its own name with prefix, and the bare one is nobody’s', (s) => {
  const [a, b] = [
    s.server('A', { tools: { x: {}, y: {} }, ...prefix }),
    s.server('B', { tools: { x: {} }, autoStart: false, ...prefix }),
  ];
  s.ready();
  s.start(b);
  s.reaches(b, 'ready');
  const [bare, first, second, alone] = [s.call('x'), s.call('A_x'), s.call('B_x'), s.call('y')];
  s.settled(bare, first, second, alone);
  s.expect(bare).settles('failed', { code: 4001, details: { names: ['A_x', 'B_x'] } });
  for (const call of [first, second, alone]) s.expect(call).settles('succeeded');
  s.expect(a).requests('tools/call', 2);
  s.expect(b).requests('tools/call', 1);
});

scenario('a name stays with prefix while the other server is stopped, and goes when it is taken out', (s) => {
  const [a, b] = [
    s.server('A', { tools: { x: {} }, ...prefix }),
    s.server('B', { tools: { x: {} }, autoStart: false, ...prefix }),
  ];
  s.ready();
  s.start(b);
  s.reaches(b, 'ready');
  s.stop(b);
  s.reaches(b, 'idle');
  const [renamed, stopped] = [s.call('A_x'), s.call('B_x')];
  s.settled(renamed, stopped);
  s.expect(renamed).settles('succeeded');
  s.expect(stopped).settles('failed', { code: 'ServerNotActive', details: { server_name: 'B' } });
  s.config(a);
  const [bare, gone] = [s.call('x'), s.call('B_x')];
  s.settled(bare, gone);
  s.expect(bare).settles('succeeded');
  s.expect(gone).settles('failed', { code: 4001 });
  s.expect(a).visits('connecting', 'ready');
});
