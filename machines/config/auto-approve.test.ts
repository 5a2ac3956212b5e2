import { expect, it } from 'vitest';
import { parseConfig, toProtocol, type Config } from './index.ts';

const accepted = (value: unknown): Config => {
  const parsed = parseConfig(value);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.mistakes));
  return parsed.config;
};
const ours = { name: 'a', type: 'stdio', server_parameters: { command: 'x' } };
const theirs = (entry: object) => ({ mcpServers: { a: { command: 'x', ...entry } } });
const approvedBy = (config: unknown) => accepted(config).servers[0]?.settings.autoApprove;

it('auto_approve and autoApprove of a server, in either shape, and a2c.autoApprove are one setting', () => {
  const names = ['read', 'write_x'];
  const spellings = [{ auto_approve: names }, { autoApprove: names }, { a2c: { autoApprove: names } }];
  for (const spelling of spellings) {
    expect(approvedBy([{ ...ours, ...spelling }])).toEqual(names);
    expect(approvedBy(theirs(spelling))).toEqual(names);
    expect(accepted(theirs(spelling)).warnings).toEqual([]);
  }
  expect(approvedBy([{ ...ours, ...spellings[0], ...spellings[1], ...spellings[2] }])).toEqual(names);
});

it('a server that says nothing has none of its own, and one that says [] wants none', () => {
  expect(approvedBy([ours])).toBeUndefined();
  expect(approvedBy([{ ...ours, auto_approve: null }])).toBeUndefined();
  expect(approvedBy([{ ...ours, auto_approve: [] }])).toEqual([]);
  expect(accepted({ servers: [ours], a2c: { autoApprove: ['read'] } }).settings).toEqual({
    autoApprove: ['read'],
  });
});

it('approvals stand once, and * means all', () => {
  expect(approvedBy(theirs({ autoApprove: ['*', 'read', 'all', 'read'] }))).toEqual(['all', 'read']);
  const same = { auto_approve: ['*', 'x'], a2c: { autoApprove: ['x', 'all'] } };
  expect(approvedBy([{ ...ours, ...same }])).toEqual(['all', 'x']);
});

it('alwaysAllow names tools and no groups, whatever autoApprove says beside it', () => {
  const server = accepted(theirs({ autoApprove: ['read'], alwaysAllow: ['write', 'all'] })).servers[0];
  expect(server?.settings.autoApprove).toEqual(['read']);
  expect(server?.toolMeta).toEqual({ write: { auto_apply: true }, all: { auto_apply: true } });
  expect(server?.defaultToolMeta).toBeNull();
  const every = accepted(theirs({ alwaysAllow: ['*'] })).servers[0];
  expect([every?.toolMeta, every?.defaultToolMeta]).toEqual([{}, { auto_apply: true }]);
});

it('an auto_approve beside a default auto_apply: false is in vain, which is a warning', () => {
  const told = { auto_approve: ['read'], default_tool_meta: { auto_apply: false } };
  const line = 'has no effect: default_tool_meta says auto_apply: false';
  expect(accepted([{ ...ours, ...told }]).warnings).toEqual([`[0].auto_approve: ${line}`]);
  expect(accepted(theirs(told)).warnings).toEqual([`mcpServers.a.auto_approve: ${line}`]);
  expect(accepted([{ ...ours, ...told, auto_approve: [] }]).warnings).toEqual([]);
});

it('nothing of it leaves the house: peers refuse keys that they do not know', () => {
  const [plain, ...others] = [
    [ours],
    [{ ...ours, auto_approve: ['read'] }],
    [{ ...ours, a2c: { autoApprove: ['x'] } }],
    theirs({ autoApprove: ['all', 'x'] }),
  ].map((config) => toProtocol(accepted(config)));
  expect(others).toEqual([plain, plain, plain]);
});
