/** Handshakes that fail. */
import { scenario } from '../../stage/plan/index.ts';
import { ready } from '../one-server.ts';

const tools = { read: {} };

scenario('a server that never answers initialize is ended after the limit, and tried again', (s) => {
  const fs = ready(s, { tools, faults: [{ fault: 'life.initNever' }] });
  s.later(fs, 2);
  s.timing({ connectMs: 1_500 });
  s.expect(fs).visits('connecting', 'recovering', 'waiting', 'connecting', 'ready');
  s.expect(fs).says('initialize within 1500 ms: nothing came');
  s.expect(fs).signals('stdin');
  s.expect(fs).requests('initialize', 2);
});

scenario('another server serves while one never answers initialize', (s) => {
  const mute = s.server('mute', { tools: { write: {} }, budget: 0 });
  const fs = s.server('fs', { tools });
  s.fault(mute, 'life.initNever');
  s.timing({ connectMs: 10_000 });
  s.reaches(fs, 'ready');
  s.expect(s.settled(s.call('read'))).settles('succeeded');
  s.expect(mute).is('connecting');
  s.ready();
  s.expect(mute).visits('connecting', 'recovering', 'open');
  s.expect.stages('computer', 'degraded');
});

scenario('a server that speaks a version that nobody knows is not tried again', (s) => {
  const fs = ready(s, { tools, budget: 3, faults: [{ fault: 'life.versionMismatch' }] });
  s.expect(fs).visits('connecting', 'recovering', 'open');
  s.expect(fs).says('protocol version');
});

scenario('a server that hides that it has tools is ready, is not asked for them, and offers none', (s) => {
  const fs = ready(s, { tools, faults: [{ fault: 'life.capabilityMissing' }] });
  s.expect(fs).visits('connecting', 'ready');
  s.expect(fs).requests('tools/list', 0);
  s.expect.tools();
  s.expect(s.settled(s.call('read'))).settles('failed', { code: 4001 });
});

scenario('a capability that nobody needs may be missing', (s) => {
  ready(s, { tools, faults: [{ fault: 'life.capabilityMissing', capability: 'logging' }] });
  s.expect.tools('+read');
});

scenario('a server that asks something before the handshake is done is answered, and gets ready', (s) => {
  const fs = ready(s, { tools, faults: [{ fault: 'life.requestBeforeReady' }] });
  s.expect(fs).visits('connecting', 'ready');
  s.expect(s.settled(s.call('read'))).settles('succeeded');
});
