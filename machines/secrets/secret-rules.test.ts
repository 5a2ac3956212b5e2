import { describe, expect, it } from 'vitest';
import { isSecretValue, secretsIn } from './secret-rules.ts';
import { namesIn } from '../../scenarios/fixtures/names.ts';

const basic = (text: string): string => `Basic ${btoa(text)}`;

describe('a value of a variable or a header', () => {
  it.each<[string, string, ...string[]]>([
    ['GITHUB_PERSONAL_ACCESS_TOKEN', 'ghp_0123456789abcdefghijABCDEFGHIJ'],
    ['GITHUB_TOKEN', 'short'],
    ['JIRA_PAT', 'NjA1MTg4-planted'],
    ['DATABASE_URL', 'postgres://app:pl4nted@db.internal:5432/shop?sslmode=require', 'pl4nted'],
    ['REDIS_URL', 'redis://:pl4nted%2F@cache:6379/0', 'pl4nted%2F', 'pl4nted/'],
    ['MONGODB_URI', 'mongodb+srv://app:planted@h1.x,h2.x/db?retryWrites=true', 'planted'],
    [
      'OPENAPI_MCP_HEADERS',
      '{"Authorization":"Bearer ntn_planted","Notion-Version":"2022-06-28"}',
      'ntn_planted',
    ],
    ['NOTION_TOKEN', 'ntn_planted'],
    ['NOTION_KEY', 'planted'],
    ['BRAVE_API_KEY', 'BSAplanted'],
    ['BRAVE_KEY', 'BSAplanted'],
    ['SLACK_BOT_TOKEN', 'xoxb-1234-planted'],
    [
      'SLACK_WEBHOOK_URL',
      'https://hooks.slack.com/services/T0/B0/pLaNtEd0123456789xyz',
      'pLaNtEd0123456789xyz',
    ],
    ['PGPASSWORD', 'pass'],
    ['SECRET_KEY_BASE', '3f2a9c1b7d5e4f60'],
    ['SECRET_ENV', 'planted'],
    ['PASS', 'planted'],
    ['AUTH', 'planted'],
    ['JWT', 'planted'],
    ['AWS_SECRET_ACCESS_KEY', '/wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'],
    [
      'AZURE_STORAGE_CONNECTION_STRING',
      'AccountName=shop;AccountKey=pLanted==;EndpointSuffix=x.net',
      'pLanted==',
    ],
    ['SENTRY_DSN', 'https://0a1b2c3d4e5f@o1.ingest.sentry.io/2', '0a1b2c3d4e5f'],
    [
      'GOOGLE_APPLICATION_CREDENTIALS_JSON',
      '{"private_key":"planted\\nkey","type":"service_account"}',
      'planted\nkey',
    ],
    ['FIGMA', 'figd_planted-of-figma'],
    ['MY_OWN_THING', '7c4a8d09ca3762af61e59520943dc26494f8941b'],
    ['TENANT', '550e8400-e29b-41d4-a716-446655440000'],
    ['WHATEVER', 'planted-value-of-somebody'],
    ['X', 'hunter2-hunter2'],
    ['Authorization', basic('bob:pl:anted'), 'pl:anted'],
    ['X-Custom', 'Bearer planted-one', 'planted-one'],
    ['Cookie', 'sid=0a9s8d7f6; theme=dark', '0a9s8d7f6'],
  ])('is secret in %s=%s', (name, value, ...parts) => {
    const found = secretsIn({ [name]: value });
    for (const part of parts.length > 0 ? parts : [value]) expect(found).toContain(part);
  });

  it.each([
    ...['', '1', '0', 'true', 'False', 'none', 'production'].map((value) => ['API_TOKEN', value]),
    ['PORT', '3000'],
    ['HOST', 'db-1.internal.example.com'],
    ['HOST', 'localhost:8080'],
    ['BIND', '192.168.0.17:5432'],
    ['BIND', '[::1]:5432'],
    ['NODE_ENV', 'production'],
    ['NODE_ENV', 'development'],
    ['LOG_LEVEL', 'debug'],
    ['LANG', 'en_US.UTF-8'],
    ['REGION', 'us-east-1'],
    ['MODEL', 'gpt-4o-mini'],
    ['TIMEOUT', '30000ms'],
    ['SINCE', '2025-06-18T10:00:00Z'],
    ['FEATURES', 'all, production'],
    ['DB_USER', 'postgres'],
    ['X-Model', 'claude-of-somebody'],
    ['HOME', '/srv/somebody/projects'],
    ['ROOT', 'C:\\Users\\somebody\\Documents'],
    ['PATH', '/usr/local/bin:/usr/bin:/opt/tool-1.2.3/bin'],
    ['SSL_KEY', '/etc/ssl/private/server.pem'],
    ['GOOGLE_APPLICATION_CREDENTIALS_FILE', './credentials.json'],
    ['AUTH', 'basic'],
    ['API_URL', 'https://api.example.com/v1/production?page=2&format=json'],
    ['USER_EMAIL', 'somebody@example.com'],
    ['Accept', 'application/json, text/event-stream'],
    ['Content-Type', 'application/json'],
    ['MCP-Protocol-Version', '2025-06-18'],
    ['OPTIONS', '{"level":"debug","port":3000}'],
  ])('is no secret in %s=%s', (name = '', value = '') => {
    expect(secretsIn({ [name]: value })).toEqual([]);
  });

  it('counts from four characters on under a name that says nothing, or that of a key', () => {
    expect([isSecretValue('X', 'a1b'), isSecretValue('X', 'a1b2')]).toEqual([false, true]);
    expect([isSecretValue('KEY', 'a1b'), isSecretValue('KEY', 'a1b2')]).toEqual([false, true]);
  });
  it.each(
    namesIn(`
    MAIL_PW PIN otp CVV wallet-seed MNEMONIC SITE_LOGIN passcode X-Team TENANT Mcp-Session-Id
    JSESSIONID ssn Iban UNLOCK_PIN_CODE seedPhrase WHATEVER PLAIN
  `),
  )('counts under %s in the form that a person makes up', (name) => {
    expect(secretsIn({ [name]: 'Otter-river-11' })).toContain('Otter-river-11');
  });
  it('counts alone, too, with a user before it', () => {
    expect(secretsIn({ SITE_LOGIN: 'ada:Otter-river-11' })).toEqual(['ada:Otter-river-11', 'Otter-river-11']);
    expect(secretsIn({ DSN: 'https://Otter-river-11@h/1' })).toEqual(['Otter-river-11']);
  });
});

describe('secrets of arguments', () => {
  it.each<[readonly string[], readonly string[]]>([
    [['--token=abc123456'], ['abc123456']],
    [['--token', 'abc123456'], ['abc123456']],
    [['-password', 'abc123456', 'rest'], ['abc123456']],
    [['--api-key=a=b=c=d'], ['a=b=c=d']],
    [['--api-key=line\nline'], ['line\nline']],
    [['--token', '--verbose'], []],
    [['--token'], []],
    [['--token', 'short'], ['short']],
    [['--max-tokens', '100000', 'token', 'abcdefgh', '--key', '/etc/x.pem', '--use-token=true'], []],
    [['--key', 'abcdefgh'], ['abcdefgh']],
    [['-e', 'JIRA_PAT=planted', '-e', 'NODE_ENV=production', 'image'], ['planted']],
    [['-e', 'THING=planted-value-of-mine-1', '-e', 'GITHUB_TOKEN'], ['planted-value-of-mine-1']],
    [
      ['--header', 'Authorization: Bearer planted1'],
      ['Bearer planted1', 'planted1'],
    ],
    [['--header=X-Api-Key:planted'], ['planted']],
    [['API_TOKEN=planted'], ['planted']],
    [['postgres://me:planted@h/db'], ['planted']],
    [['--dsn=postgres://me:planted@h/db'], ['planted']],
    [['https://h/mcp?api_key=planted&v=1', '-y', '@scope/server@1.2.3'], ['planted']],
    [['-c', 'TOKEN=planted-1 node server.js'], ['planted-1']],
    [
      ['-p', 'Otter-river-11', '-u', 'ada:Otter-river-12'],
      ['Otter-river-11', 'Otter-river-12'],
    ],
    [
      ['-pOtter-river-11', '-U', 'ada:Otter-river-12'],
      ['Otter-river-11', 'Otter-river-12'],
    ],
    [
      ['--user=ada:Otter-river-11', '--pin', '4711', 'redis://Otter-river-12@h'],
      ['Otter-river-11', '4711', 'Otter-river-12'],
    ],
    ['-p 8080:80 -p ./folder -u 1000:1000 -u root -production git+ssh://git@h/r'.split(' '), []],
    [['sk-0123456789abcdefghij'], ['0123456789abcdefghij']],
    [['git+https://github.com/o/r@3f2a9c1b7d5e4f60718293a4b5c6d7e8f9012345'], []],
    [['/srv/documents', '--root=/srv/of-me/1', '--name=planted-by-nobody-at-all'], []],
  ])('are found in %j: %j', (args, secrets) => {
    expect(secretsIn({}, args).toSorted()).toEqual([...new Set(secrets)].toSorted());
  });
  it('takes no package of npx for a password', () => {
    expect(secretsIn({}, ['-y', '-p', 'a2c-actors', 'a2c'], '/usr/bin/npx')).toEqual([]);
    expect(secretsIn({}, ['-p', 'a2c-actors'], 'mysql')).toEqual(['a2c-actors']);
  });
  it.each([
    ['a chain of assignments', 'a='.repeat(60_000)],
    ['lists in lists', '['.repeat(50_000) + ']'.repeat(50_000)],
    ['a URL without an end', `https://${'a'.repeat(100_000)}`],
    ['dots and dashes', 'a-.'.repeat(40_000)],
    ['blanks', ' '.repeat(120_000)],
    ['a list', 'a,'.repeat(60_000)],
  ])('are looked for in %s, as large as a system allows', (_, text) => {
    expect(() => secretsIn({ X: text, A_KEY: text }, [text, '--x', text])).not.toThrow();
  });
});
