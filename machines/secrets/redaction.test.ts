import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical, revived } from '../trace/canonical.ts';
import { redacted, redactorOf, SecretRedactor } from './redaction.ts';
import { SecretIndex } from './secret-index.ts';

/** Short fake hash without a key that differs for different texts. */
const hash = (text: string): string => {
  let [one, two] = [0x811c9dc5, 7];
  for (let at = 0; at < text.length; at++) {
    one = Math.imul(one ^ text.charCodeAt(at), 0x01000193);
    two = Math.imul(two ^ text.charCodeAt(at), 0x85ebca6b);
  }
  return [one, two].map((part) => (part >>> 0).toString(16).padStart(8, '0')).join('');
};
const mark = (secret: string): string => `«redacted:${hash(secret)}»`;
const shown = (value: unknown, secrets: readonly string[] = []): unknown =>
  JSON.parse(canonical(value, redactorOf(hash, new SecretIndex(secrets))));

describe('what stands under a secret name', () => {
  it('is hidden as a text, a number, bytes, in lists and in maps; the rest stays', () => {
    const hidden = shown({
      apiKey: 'hunter2',
      token: 12_345_678,
      secret: 10n ** 20n,
      password: ['first one', 'second one'],
      privateKey: Uint8Array.of(1, 2, 3, 4),
      headers: new Map([['authorization', 'Bearer x']]),
      pair: [
        { name: 'X-Api-Key', value: 'abcdef' },
        { key: 'mode', value: 'fast' },
      ],
      credentials: { value: 'abc', user: 'bob' },
      cookie: '',
      isToken: true,
    });
    expect(hidden).toEqual({
      apiKey: mark('hunter2'),
      token: mark('12345678'),
      secret: mark('100000000000000000000'),
      password: [mark('first one'), mark('second one')],
      privateKey: mark('01020304'),
      headers: { $map: [['authorization', mark('Bearer x')]] },
      pair: [
        { name: 'X-Api-Key', value: mark('abcdef') },
        { key: 'mode', value: 'fast' },
      ],
      credentials: { value: mark('abc'), user: 'bob' },
      cookie: '',
      isToken: true,
    });
  });

  it('is no schema that describes it, and no token of a page or of progress', () => {
    const harmless = {
      _meta: { progressToken: 'abcdef-1' },
      nextPageToken: 'page-two',
      max_tokens: 4096,
      key: 'a-key-of-a-map',
      inputSchema: {
        type: 'object',
        properties: { password: { type: 'string', description: 'of the mailbox', minLength: 8 } },
        required: ['password'],
      },
    };
    expect(shown(harmless)).toEqual(harmless);
  });

  it('is hidden wherever else it appears, before it and after it, and in what is JSON inside a text', () => {
    const redactor = redactorOf(hash);
    const odd = 'quo"te\\d';
    const first = canonical({ about: 'use hunter22 here', password: 'hunter22', secret: odd }, redactor);
    const then = canonical(
      { text: JSON.stringify({ said: odd }), error: 'no such user: hunter22!' },
      redactor,
    );
    expect(first).not.toContain('hunter22');
    expect(JSON.parse(first)).toMatchObject({ about: `use ${mark('hunter22')} here` });
    expect(JSON.parse(then)).toMatchObject({ error: `no such user: ${mark('hunter22')}!` });
    expect(then).not.toContain('te\\\\');
  });

  it('is remembered without its scheme, up to a hundred of them, the oldest going first', () => {
    const redactor = redactorOf(hash);
    canonical({ authorization: 'Basic dXNlcjpwYXNz' }, redactor);
    expect(canonical('it said dXNlcjpwYXNz', redactor)).toContain(mark('dXNlcjpwYXNz'));
    for (let n = 0; n < 150; n++) canonical({ token: `secret-${n}.` }, redactor);
    expect(canonical('secret-149.', redactor)).toContain('redacted');
    expect(canonical('secret-10.', redactor)).toContain('secret-10.');
  });

  it('never appears in the text, whatever is around it', () => {
    const names = fc.constantFrom(
      ...'password apiKey X-Api-Key refresh_token clientSecret cookie'.split(' '),
    );
    const odd = ['-', '_', '/', ':', '=', '@', ' ', '"', '\\', '\n', 'é', '😀', '\ud800'];
    const letter = fc.constantFrom('a', 'b', 'X', 'Y', '0', '1', '9', ...odd);
    const secrets = fc
      .string({ minLength: 6, maxLength: 30, unit: letter })
      .filter((text) => !/^[a-zA-Z]*$/.test(text) && !'«redacted:0123456789abcdef»'.includes(text));
    const places = fc.constantFrom(
      (name: string, it: string) => ({ [name]: it }),
      (name: string, it: string) => ({ [name]: [it, [it]] }),
      (name: string, it: string) => ({ deep: [{ [name]: it }], also: `before ${it} after` }),
      (name: string, it: string) => ({ aaa: { said: it }, zzz: { [name]: it } }),
      (name: string, it: string) => ({ [name]: it, [it]: 'as a key' }),
      (name: string, it: string) => ({ list: [it, { [name]: it }], error: new Error(`no: ${it}`) }),
      (name: string, it: string) => ({ [name]: it, nested: JSON.stringify({ note: it }) }),
    );
    const around = fc.dictionary(fc.constantFrom('type', 'ev', 'data'), fc.jsonValue({ maxDepth: 1 }));
    fc.assert(
      fc.property(names, secrets, places, around, (name, secret, place, other) => {
        fc.pre(!JSON.stringify(other).includes(secret));
        const text = canonical({ ...other, ...place(name, secret) }, redactorOf(hash));
        expect(text).not.toContain(secret);
        expect(textsIn(JSON.parse(text)).filter((each) => each.includes(secret))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});
/** Collects every text in a value, including keys and texts within JSON texts. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') {
    try {
      return [value, ...(value.startsWith('{') ? textsIn(JSON.parse(value)) : [])];
    } catch {
      return [value];
    }
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsIn(inner)]);
}

describe('a value that the host knows', () => {
  it('is hidden inside any text and key, the longer one before the one that is a part of it', () => {
    const hidden = shown({ 'at /k-12345678': 'k-12345678 and k-1234' }, ['k-1234', 'k-12345678']);
    expect(hidden).toEqual({ [`at /${mark('k-12345678')}`]: `${mark('k-12345678')} and ${mark('k-1234')}` });
  });

  it('is hidden only where it stands alone, when it has fewer than six characters, and is no word of a record', () => {
    const [dev, pin] = [mark('dev'), mark('1234')];
    expect(shown({ text: 'dev=1234; develop 12345', via: 'dev' }, ['dev', '1234', ''])).toEqual({
      text: `${dev}=${pin}; develop 12345`,
      via: 'dev',
    });
  });

  it('hides none of the format when it is a word of it, and a name that things hang on stays', () => {
    const record = {
      k: 'out',
      port: 'session',
      a: 'computer/client:postgres#1',
      ev: { type: 'server.start' },
    };
    const redactor = redactorOf(
      hash,
      new SecretIndex(['session', 'computer', 'client', 'server', 'postgres']),
      new Set(['postgres']),
    );
    expect(JSON.parse(canonical(record, redactor))).toEqual(record);
    expect(canonical({ password: 'postgres', secret: 'session' }, redactor)).not.toMatch(/postgres|session/);
  });

  it('never changes a number that only looks like it', () => {
    expect(shown({ token: '300000', ms: 300_000 })).toEqual({ token: mark('300000'), ms: 300_000 });
  });

  it('hides what it hides in the same way every time, and two in two ways', () => {
    const redactor = redactorOf(hash, new SecretIndex(['first-secret', 'other-secret']));
    const [one, two, other] = ['by first-secret', 'Bearer first-secret', 'other-secret'].map(
      (text) => redacted.exec(canonical(text, redactor))?.[0],
    );
    expect(one).toBe(two);
    expect(one).not.toBe(other);
  });
});

describe('a secret that tells itself by its form', () => {
  it.each([
    ['Authorization: Bearer abcdefgh1234', 'Authorization: Bearer ', 'abcdefgh1234'],
    ['basic dXNlcjpwYXNzd29yZA==', 'basic ', 'dXNlcjpwYXNzd29yZA=='],
    ['sk-proj-abcdefghijklmnop', 'sk-', 'proj-abcdefghijklmnop'],
    ['ghp_abcdefghijklmnopqrst123456', 'ghp_', 'abcdefghijklmnopqrst123456'],
    ['github_pat_11ABCDEFG0123456789_abc', 'github_pat_', '11ABCDEFG0123456789_abc'],
    ['xoxb-1234567890-abc', 'xoxb-', '1234567890-abc'],
    ['AKIAIOSFODNN7EXAMPLE', 'AKIA', 'IOSFODNN7EXAMPLE'],
    ['eyJhbGciOiJI.eyJzdWIiOiIx.dozjgNryP4J3', 'eyJ', 'hbGciOiJI.eyJzdWIiOiIx.dozjgNryP4J3'],
    ['postgres://me:pa@ss@db/x', 'postgres://me:', 'pa@ss', '@db/x'],
    [
      '-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END',
      '-----BEGIN RSA PRIVATE KEY-----',
      '\nMIIE\nabc=\n',
      '-----END',
    ],
    ['run --api-key=abc12345 now', 'run --api-key=', 'abc12345', ' now'],
    ['PGPASSWORD=s3cr3t psql', 'PGPASSWORD=', 's3cr3t', ' psql'],
    ['{"client_secret": "abc12345"}', '{"client_secret": "', 'abc12345', '"}'],
    ['https://host/x?access_token=abc12345&y=1', 'https://host/x?access_token=', 'abc12345', '&y=1'],
  ])('is hidden in %s', (text, before, secret, after = '') => {
    expect(shown(text)).toBe(before + mark(secret) + after);
  });

  it.each([
    'basic authentication, and the bearer of bad news',
    'progressToken=abcdefgh, next_page_token: abcdefgh, max_tokens=4096000',
    'a task-oriented skill; see https://host:8080/path@2',
    'the password is asked for; token: no',
    'eyJ. is how a JWT begins, sk- a key',
  ])('is not seen in %s', (text) => {
    expect(shown(text)).toBe(text);
  });
});

describe('redaction', () => {
  it('changes nothing in what is redacted already, also as it was read back', () => {
    const some = fc.oneof(
      fc.string(),
      fc.constantFrom(
        ...['Bearer abcdefgh1234', 'a://b:cccccc@d', 'token=abcdefg', 'known-value', 'sk-0123456789abcdef'],
      ),
    );
    const value = fc.dictionary(fc.constantFrom('password', 'note', 'a key: known-value'), fc.array(some));
    fc.assert(
      fc.property(value, (given) => {
        const once = canonical(given, redactorOf(hash, new SecretIndex(['known-value'])));
        expect(canonical(revived(JSON.parse(once)), redactorOf(hash, new SecretIndex(['known-value'])))).toBe(
          once,
        );
      }),
    );
  });

  it('is not talked out of it by a text with a mark in it', () => {
    const sly = '«redacted:00» password=hunter22 and known-value';
    const text = canonical(
      { note: sly, password: `${sly}!` },
      redactorOf(hash, new SecretIndex(['known-value'])),
    );
    expect(text).not.toMatch(/hunter22|known-value/);
    expect(text).toContain('«redacted:00»');
  });

  it.each(['a', '://a:', 'eyJ-', 'eyJaaaaaaaa.', 'secret='])('goes once through 1 MiB of %j', (piece) => {
    const hidden = redactorOf(hash, new SecretIndex(['known-value'])).hide(
      piece.repeat((1 << 20) / piece.length),
      'text',
    );
    expect(hidden?.length).toBeGreaterThan(0);
  });

  it('looks for a long secret by its beginning, and hides all of it where all of it is', () => {
    const secret = 'b'.repeat(5_000) + 'c';
    const redactor = redactorOf(hash, new SecretIndex([secret, `c${'b'.repeat(5_000)}`]));
    expect(redactor.hide(`it is ${secret}.`, '')).toBe(`it is ${mark(secret)}.`);
    expect(redactor.hide('b'.repeat(1 << 16), '')).not.toContain('bbb');
  });
});

describe('a secret in what a server says about itself', () => {
  const of = (...secrets: readonly string[]): SecretRedactor =>
    new SecretRedactor({ secrets: new SecretIndex(secrets) });
  it.each([
    ['as it is', 'bad key hunter22!', 'bad key ***!'],
    ['as the base64 of a pair', `Authorization: Basic ${btoa('bob:hunter22')}`, 'Authorization: Basic ***'],
    ['as base64 alone', `data: ${btoa('hunter22')}`, 'data: ***'],
    ['inside of longer base64', `data: ${btoa('{"a":"hunter22"}')}`, 'data: ***'],
    ['cut at its end', 'the key is hunter2', 'the key is ***'],
    ['cut at its beginning', 'unter22 is the key', '*** is the key'],
    [
      'in a URL that has a login of its own',
      'cannot reach pg://u:pw-of-it@db/x',
      'cannot reach pg://u:***@db/x',
    ],
    ['not at all', 'connected to the server, 64 bytes', 'connected to the server, 64 bytes'],
    [
      'by its name alone',
      'missing secret: API_TOKEN, token: expired',
      'missing secret: API_TOKEN, token: expired',
    ],
    ['under a name', 'api_key: x7Yq9-zzz', 'api_key: ***'],
  ])('is hidden when it stands there %s', (_, text, shown) => {
    expect(of('hunter22').text(text)).toBe(shown);
  });

  const long = Array.from({ length: 200 }, (_, n) => `part-${n}`).join('/');
  it.each([
    ['long', long],
    ['short', 'ab1'],
  ])('is hidden in base64, too, when it is %s', (_, secret) => {
    expect(of(secret).text(`Basic ${btoa(`bob:${secret}`)}`)).toBe('Basic ***');
  });

  it('is looked for in JSON texts, numbers and names of fields; what is named so is hidden anyway', () => {
    const told = { text: 'x ab1', ab1: 1, pin: 1234, token: 'anything', server_name: 'fs', code: 1 };
    const redactor = of('ab1', '1234', 'name', '1');
    expect(redactor.value(told)).toEqual({
      ...{ text: 'x ***', '***': 1, pin: '***', token: '***', server_name: 'fs', code: 1 },
    });
    expect(redactor.details({ token: 'anything', data: ['ab1'] })).toEqual({
      token: 'anything',
      data: ['***'],
    });
  });

  it.each(['YWIx', 'YWIxx', 'aGVsbG8-', 'ab1', 'hunter', 'aHVudGVyMj'])(
    'is looked for once in 512 KiB of %j',
    (piece) => {
      const shown = of('ab1', 'hunter22', 'h'.repeat(100)).text(piece.repeat((512 << 10) / piece.length));
      expect(shown.length).toBeGreaterThan(0);
    },
  );
});
