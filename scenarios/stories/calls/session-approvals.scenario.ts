import { scenario } from '../../stage/plan/index.ts';
import { ready } from '../one-server.ts';

const tools = { read: {}, write: {} };
/** The duration of a call shows whether the person was asked. */
const thinking = 5;

scenario('a tool that a person has allowed for the session is not asked about again, and others are', (s) => {
  const fs = ready(s, { tools });
  s.person('always');
  s.expect(s.settled(s.call('read'))).settles('succeeded', { at: thinking + 1 });
  s.expect(s.settled(s.call('read'))).settles('succeeded', { at: 1 });
  s.expect(s.settled(s.call('write'))).settles('succeeded', { at: thinking + 1 });
  s.expect(fs).requests('tools/call', 3);
});

scenario('a person who says yes once is asked again about the next call of the same tool', (s) => {
  const fs = ready(s, { tools });
  s.person('yes');
  for (const _ of [1, 2]) {
    s.expect(s.settled(s.call('read'))).settles('succeeded', { at: thinking + 1 });
  }
  s.expect(fs).requests('tools/call', 2);
});

scenario('what was allowed for the session holds over a restart, and for no server of another name', (s) => {
  const [a, b] = [s.server('a', { tools }), s.server('b', { tools: { list: {} } })];
  s.person('always');
  s.differs('which of two servers is the first to list its tools is open', ['heard']);
  s.ready();
  s.settled(s.call('read'));
  s.restart(a);
  s.reaches(a, 'ready');
  s.expect(s.settled(s.call('read'))).settles('succeeded', { at: 1 });
  s.expect(s.settled(s.call('list'))).settles('succeeded', { at: thinking + 1 });
  s.expect(b).requests('tools/call', 1);
});

scenario('what a person allows for good is allowed to the launch config that the server had then', (s) => {
  const fs = ready(s, { tools });
  s.person('always');
  const first = s.call('read');
  s.config([fs, { generation: 2 }]);
  s.expect(s.settled(first)).settles('succeeded');
  s.reaches(fs, 'ready');
  for (const at of [thinking + 1, 1]) {
    s.expect(s.settled(s.call('read'))).settles('succeeded', { at });
  }
});

scenario('what was allowed for the session is kept when something else of the config changes', (s) => {
  const fs = ready(s, { tools });
  s.person('always');
  s.settled(s.call('read'));
  s.config([fs, { forbidden: ['write'] }]);
  s.run(50);
  s.expect(s.settled(s.call('read'))).settles('succeeded', { at: 1 });
});
