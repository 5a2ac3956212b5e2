import { describe, expect, it } from 'vitest';
import { failureForAgents, withoutAddresses, contentsIn, takesPart } from './collections.ts';

describe('what agents are told of the machine of a server', () => {
  it.each([
    ['connect ECONNREFUSED 10.1.2.3:5432', 'connect ECONNREFUSED [address]'],
    ['at 10.0.0.1, 172.16.0.1 and 172.31.255.254', 'at [address], [address] and [address]'],
    ['at 192.168.1.20/24', 'at [address]/24'],
    ['at 127.0.0.1 and 169.254.169.254 and 100.64.0.1', 'at [address] and [address] and [address]'],
    ['bound to 0.0.0.0', 'bound to [address]'],
    ['from 8.8.8.8:53', 'from [address]'],
    ['at ::1 and fe80::1%eth0 and fd00:1234::5', 'at [address] and [address] and [address]'],
    ['to [::1]:3000', 'to [address]'],
    ['to ::ffff:10.0.0.1', 'to [address]'],
    ['getaddrinfo ENOTFOUND db.example.com', 'getaddrinfo ENOTFOUND [host]'],
    ['getaddrinfo EAI_AGAIN storage', 'getaddrinfo EAI_AGAIN [host]'],
    ['refused by localhost', 'refused by [host]'],
    ['refused by db.internal and nas.local:445', 'refused by [host] and [host]'],
    ['no answer of redis:6379', 'no answer of [host]'],
    ['no answer of db-1.example.com:5432.', 'no answer of [host].'],
    ['GET http://intranet/x?y=1 failed', 'GET [address] failed'],
    ['postgres://u:p@db/x is down', '[address] is down'],
    [
      "ENOENT: no such file or directory, open '/srv/ann/My Files/a.txt'",
      "ENOENT: no such file or directory, open '[path]'",
    ],
    ['cannot read /etc/app/key.pem: denied', 'cannot read [path]: denied'],
    ['cannot read ~/notes', 'cannot read [path]'],
    ['at C:\\Users\\Ann\\a.txt', 'at [path]'],
    ['at "C:/Program Files/x"', 'at "[path]"'],
    ['at \\\\nas\\share\\a', 'at [path]'],
    ['see file:///srv/a.md', 'see [path]'],
  ])('hides addresses and hosts: %s', (said, told) => {
    expect(withoutAddresses(said)).toBe(told);
  });

  it.each([
    'There is no page 3 of 12 in dpe://docs/home%2Fann%2Fa.pdf/pages/3?format=json',
    "There is no document 'reports/2026/q1.pdf'",
    'No window window://com.example.app:8080/a/b?priority=3',
    'read/write and 3/4 at 10:30:00 on 2026-01-01T10:30:00Z',
    'version 1.2.3, 8.8.8.8 and 172.32.0.1 are public',
    'page_count: expected number, received string (code 4203)',
    'It is [1:2] of 5:5',
    '',
  ])('leaves alone what is no address: %s', (said) => {
    expect(withoutAddresses(said)).toBe(said);
  });

  it('keeps what the agent has said itself, whole, in message and details', () => {
    const uri = 'dpe://10.0.0.9/%2Fsrv%2Fann%2Fa.pdf/pages/3';
    const failure = {
      code: 4202,
      message: "No page 3 of '/srv/ann/a.pdf' at 10.0.0.9; cache 10.0.0.1 and /srv/ann/b.pdf",
      details: {
        doc_ref: '%2Fsrv%2Fann%2Fa.pdf',
        page_count: 2,
        tried: ['/srv/a.pdf', { at: '10.0.0.9:80' }],
      },
      remedy: 'Read it again',
    } as const;
    expect(failureForAgents(failure, uri)).toEqual({
      code: 4202,
      message: "No page 3 of '/srv/ann/a.pdf' at 10.0.0.9; cache [address] and [path]",
      details: { doc_ref: '%2Fsrv%2Fann%2Fa.pdf', page_count: 2, tried: ['[path]', { at: '[address]' }] },
      remedy: 'Read it again',
    });
  });
  it('cannot be talked out of it by a URI with a part of an address', () => {
    expect(failureForAgents({ code: 500, message: 'at 10.0.0.1' }, 'dpe://h/10').message).toBe(
      'at [address]',
    );
    expect(failureForAgents({ code: 500, message: 'at /srv/x' }, 'dpe://h/%2F').message).toBe('at [path]');
  });
  it('takes time in proportion to a long text', () => {
    const text = `${'a'.repeat(50_000)} ${'1.'.repeat(50_000)} ${'a:'.repeat(50_000)} ${"'/".repeat(50_000)}`;
    expect(withoutAddresses(text).length).toBeGreaterThan(0);
  });
});

describe('what a read of a resource gave', () => {
  it('is passed on as it came', () => {
    const contents = [
      { uri: 'window://h/a', mimeType: 'text/plain', text: 'x', extra: [1] },
      { uri: 'window://h/a', blob: 'AAAA' },
    ];
    expect(contentsIn({ contents, _meta: {} })).toEqual({ ok: true, body: contents });
    expect(contentsIn({ contents: [] })).toEqual({ ok: true, body: [] });
  });
  it.each([
    [undefined],
    [null],
    ['x'],
    [{}],
    [{ contents: 'x' }],
    [{ contents: [null] }],
    [{ contents: [{}] }],
  ])('is a failure with a sentence where it is no contents: %j', (result) => {
    expect(contentsIn(result)).toEqual({
      ok: false,
      failure: { code: 500, message: expect.stringMatching(/^The server did not answer with contents: ./) },
    });
  });
});

const [subscribed, plain] = [
  { listChanged: false, subscribe: true },
  { listChanged: true, subscribe: false },
];
it('a server takes part that declares resources.subscribe, or, if so configured, any resources', () => {
  expect([subscribed, plain, null].map((resources) => takesPart(resources))).toEqual([true, false, false]);
  expect([subscribed, plain, null].map((resources) => takesPart(resources, 'resources'))).toEqual([
    ...[true, true],
    false,
  ]);
});
