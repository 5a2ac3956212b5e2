import { describe, expect, it } from 'vitest';
import {
  confirmationDenied,
  confirmationFailed,
  confirmationLate,
  confirmationMissing,
  inEnglish,
} from '../../../machines/call/policy/policy.ts';
import { wireCodes } from '../../../machines/protocol/failure.ts';
import { commandLine } from '../../../scenarios/fixtures/command-line.ts';
import { createComputer, createOffice, type Confirm } from '../../index.ts';
import { fixtureFile, testFolder } from '../../../scenarios/fixtures/test-folder.ts';

const server = fixtureFile('mcp-server.mjs');
const folder = testFolder('refused');

describe('a call that nobody allows', () => {
  it.each([
    [confirmationDenied, {}, 'A person refused the call', 'denied'],
    [confirmationDenied, { reason_given: 'not today' }, 'A person refused the call: not today', 'denied'],
    [confirmationLate, {}, 'Nobody said in time whether the call may run', 'late'],
    [confirmationMissing, {}, 'There is nobody who could be asked whether the call may run', 'missing'],
    [
      confirmationFailed('no screen'),
      {},
      'The question whether the call may run failed: no screen',
      'failed',
    ],
    ['another text', {}, 'another text', undefined],
  ])('is told of in English: %s %j', (message, details, english, why) => {
    const failure = { code: wireCodes.notConfirmed, message, details };
    expect(inEnglish({ failure }).failure).toEqual({
      ...failure,
      message: english,
      details: why === undefined ? details : { ...details, why },
    });
  });

  it.each<[string, Confirm | undefined, string, remedy?: string]>([
    ['a person', () => 'deny', 'A person refused the call'],
    [
      'a person with a reason',
      () => ({ decision: 'deny', reason: 'too dangerous' }),
      'A person refused the call: too dangerous',
    ],
    [
      'the host',
      undefined,
      'There is nobody who could be asked whether the call may run',
      "  Its computer decides: run 'c1' at a terminal, where its person is asked, or name the tool in autoApprove of its config.\n",
    ],
  ])(
    'is told of once by a command that asks an office, because of %s',
    async (_, confirm, says, remedy = '') => {
      await using office = await createOffice({ port: 0 });
      await using computer = await createComputer({
        config: { mcpServers: { fixture: { command: process.execPath, args: [server] } } },
        name: 'c1',
        office: { url: office.url, id: 'local' },
        confirm,
      });
      const told = await commandLine(['call', 'echo', 'text=hi', '--url', office.url], { folder });
      expect(told).toEqual({ code: 2, out: '', err: `error: ${says}\n${remedy}` });
      expect(computer.name).toBe('c1');
    },
  );
});
