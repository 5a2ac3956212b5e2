/** Calls that need a person's word. */
import { scenario } from './dsl/index.ts';

const tools = { read: {} };

scenario('a tool that does not apply by itself runs once a person has said yes', (s) => {
  const fs = s.server('fs', { tools });
  s.person('yes');
  s.ready();
  const call = s.call('read');
  s.expect(fs).requests('tools/call', 0);
  s.settled(call);
  s.expect(call).settles('succeeded');
});

scenario('a call that a person denies is refused with 4005 and never sent', (s) => {
  const fs = s.server('fs', { tools });
  s.person('no');
  s.ready();
  const call = s.call('read');
  s.settled(call);
  s.expect(call).settles('failed', {
    end: 'refused',
    code: 4005,
    says: '工具调用二次确认被拒绝，请稍后再试',
  });
  s.expect(fs).requests('tools/call', 0);
});

scenario('a call that nobody can confirm is refused', (s) => {
  s.server('fs', { tools });
  s.person('nobody');
  s.ready();
  const call = s.call('read');
  s.settled(call);
  s.expect(call).settles('failed', { end: 'refused', code: 4005 });
});

scenario('a question that nobody answers is refused after its time', (s) => {
  const fs = s.server('fs', { tools });
  s.person('never');
  s.timing({ confirmMs: 300 });
  s.ready();
  const call = s.call('read');
  s.settled(call);
  s.expect(call).settles('failed', { end: 'refused', says: '确认超时', at: 300 });
  s.expect(fs).requests('tools/call', 0);
});

scenario('a call that is cancelled while a person is asked has failed, for it was never sent', (s) => {
  const fs = s.server('fs', { tools });
  s.person('never');
  s.ready();
  const call = s.call('read');
  s.run(10);
  s.cancel(call);
  s.settled(call);
  s.expect(call).settles('failed', { end: 'cancelled' });
  s.expect(fs).requests('tools/call', 0);
});

scenario('a server that dies while a person is asked: the call fails, for it was never sent', (s) => {
  const fs = s.server('fs', { tools });
  s.person('never');
  s.ready();
  const call = s.call('read');
  s.kill(fs);
  s.settled(call);
  s.expect(call).settles('failed', { end: 'failed', code: 'ServerLost' });
  s.expect(fs).requests('tools/call', 0);
});
