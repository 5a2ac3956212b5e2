import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { cases } from './cases/index.ts';
import { hosts } from './hosts.ts';
import { count, readFacts } from './hosts-page.ts';
import { always, markOf } from './report.ts';
import { features, protocolSchema } from './protocol.ts';

const doc = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

it('docs/judge.schema.json is the schema by which drivers are read', () => {
  expect(JSON.parse(doc('judge.schema.json'))).toEqual(JSON.parse(JSON.stringify(protocolSchema())));
});

it('docs/judge.md has every feature of a host, every member of an answer, and what every case asks', () => {
  const page = doc('judge.md');
  expect(page).toContain(always);
  for (const feature of features) expect(page).toContain(`| \`${feature}\` |`);
  for (const member of ['text', 'bytes', 'isError', 'outcome', 'tools', 'ready', 'pid'])
    expect(page).toContain(`\`${member}\``);
});

it('a host is not blamed where the specification is silent', () => {
  expect(markOf({ spec: null }, { verdict: 'wrong' })).toBe('○');
  expect(markOf({ spec: 'basic/utilities/ping' }, { verdict: 'wrong' })).toBe('✗');
  expect(Object.values(cases).some(({ spec }) => spec !== null)).toBe(true);
});

it('each host has a driver of at most 60 lines', () => {
  const lines = Object.values(hosts).map(({ driver }) => {
    const text = readFileSync(new URL(`drivers/${driver}`, import.meta.url), 'utf8');
    return { driver, lines: text.trimEnd().split('\n').length };
  });
  expect(lines.filter((each) => each.lines > 60)).toEqual([]);
});

it('docs/any-client.md counts all cases, and those that the clients alone are right in', () => {
  const [, total, row = ''] = /● of all (\d+) cases\*\* \|(.*)\|$/m.exec(doc('any-client.md')) ?? [];
  expect(Number(total)).toBe(Object.keys(cases).length);
  const clients = ['sdk1', 'sdk2', 'ai-sdk', 'langchain', 'mcp-use', 'openai-agents'];
  const alone = row.split('|').map((cell) => Number(cell.trim().split(' ')[0]));
  expect(alone).toEqual(clients.map((name) => count(readFacts(), name, '●')));
});
