import { describe, expect, it } from 'vitest';
import { type Permission } from './permission.ts';
import {
  judgeAsk,
  ownRuleJudge,
  permissionRequest,
  toolIn,
  type KnownTools,
  type Validate,
} from './judge.ts';
import type { RequestFact } from '../../kernel/ports.ts';

const tool = { name: 'read', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } };
const known: KnownTools = {
  catalogs: { fs: [tool] },
  servers: [{ rules: { server: 'fs', autoApprove: ['read'] } }],
};
const call = { reqId: 'r1', agent: null, server: 'fs', tool: 'read', params: { a: 1 }, meta: null };
const question = { id: 'policy', target: 'policy', method: 'judge', params: call };
const right: Validate = () => ({ ok: true });

interface Asked {
  readonly heard: RequestFact[];
  withdraw(): void;
}
function ask(rule: unknown, validate = right): Asked {
  const heard: RequestFact[] = [];
  const permission = () => rule as Permission;
  const port = judgeAsk({ knownTo: () => known, validate, permission });
  const withdraw = port('computer/client:fs/call:1#1', question, (fact) => void heard.push(fact));
  return { heard, withdraw };
}
const judged = (decision: string, reason: string) => ({
  ...{ type: 'ask.answered', id: 'policy' },
  result: { problems: [], decision, reason },
});
const refused = (what: string) => ({
  ...{ type: 'ask.refused', id: 'policy', sent: false },
  failure: { code: 4005, message: expect.stringContaining(what) },
});
const settled = async (): Promise<void> => {
  for (let n = 0; n < 10; n += 1) await Promise.resolve();
};
const thenable = (how: 'gives' | 'refuses' | 'throws', said: unknown) => ({
  // oxlint-disable-next-line unicorn/no-thenable -- the test needs a thenable
  then(emit: (value: unknown) => void, refuse: (error: unknown) => void): void {
    if (how === 'throws') throw said as Error;
    (how === 'gives' ? emit : refuse)(said);
  },
});

describe('the judge of a call', () => {
  it('answers at once with a rule that answers at once', () => {
    expect(ask(() => 'allow').heard).toEqual([judged('allow', "the host's rule says allow")]);
    expect(ask(() => ({ decision: 'ask', reason: 'it writes' })).heard).toEqual([judged('ask', 'it writes')]);
  });

  it.each([
    ['a promise', Promise.resolve('deny')],
    ['a promise of a library', thenable('gives', 'deny')],
  ])('answers later with a rule that gives %s', async (_, said) => {
    const { heard } = ask(() => said);
    expect(heard).toEqual([]);
    await settled();
    expect(heard).toEqual([judged('deny', "the host's rule says deny")]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no rules today');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no rules today'))],
    ['refuses in the way of a library', () => thenable('refuses', new Error('no rules today'))],
    ['throws in the way of a library', () => thenable('throws', new Error('no rules today'))],
  ])('permits nothing by a rule that %s', async (_, rule) => {
    const { heard } = ask(rule);
    await settled();
    expect(heard).toEqual([refused("the host's rule failed: Error: no rules today")]);
  });

  it.each([
    ['at once', (said: unknown) => said],
    ['later', (said: unknown) => Promise.resolve(said)],
  ])('permits nothing by what throws when it is read, %s', async (_, given) => {
    const said = {
      get decision(): string {
        throw new Error('not yours');
      },
    };
    const { heard } = ask(() => given(said));
    await settled();
    expect(heard).toEqual([refused('Error: not yours')]);
  });

  it('permits nothing by an error that has no text', async () => {
    const { heard } = ask(() => Promise.reject(Object.create(null) as Error));
    await settled();
    expect(heard).toEqual([refused('no text')]);
  });

  it.each([undefined, null, 'yes', 1, {}, { decision: 'ALLOW' }])(
    'denies by %j, which is no decision',
    async (said) => {
      const { heard } = ask(() => said);
      await settled();
      expect(heard).toEqual([judged('deny', "the host's rule gave no decision")]);
    },
  );

  it('looks at the arguments first: what is wrong in itself no rule sees', () => {
    const { heard } = ask(
      () => {
        throw new Error('nobody may ask me');
      },
      () => ({ ok: false, problems: ['/a: is missing'] }),
    );
    expect(heard).toMatchObject([{ result: { problems: ['/a: is missing'], decision: 'deny' } }]);
  });

  it('asks the rule alone where the schema of the tool cannot be used', () => {
    const { heard } = ask(
      () => 'allow',
      () => ({ ok: 'unchecked', reason: 'no schema' }),
    );
    expect(heard).toEqual([judged('allow', "the host's rule says allow")]);
  });

  it.each([
    [{ ok: 'unchecked', reason: 'no schema' }, ["fs: The input schema of 'read' was not used: no schema"]],
    [{ ok: true, unused: 'a part' }, ["fs: The input schema of 'read' was not used as a whole: a part"]],
    [{ ok: true }, []],
    [{ ok: false, problems: ['a: is wrong'] }, []],
  ] as const)('tells how far the arguments could not be checked: %j', (validity, told) => {
    const noted: string[] = [];
    const knowing = { knownTo: () => known, validate: () => validity };
    ownRuleJudge({ ...knowing, noted: (server, _, text) => noted.push(`${server}: ${text}`) })(
      'computer/call',
      call,
    );
    expect(noted).toEqual(told);
  });

  it.each([
    ['allows', () => Promise.resolve('allow')],
    ['fails', () => Promise.reject(new Error('late'))],
  ])('says nothing of a call that is withdrawn, although its rule %s later', async (_, rule) => {
    const { heard, withdraw } = ask(rule);
    withdraw();
    await settled();
    expect(heard).toEqual([]);
  });
});

describe('what a rule is told', () => {
  it('has the own name of the tool, its annotations, and what its config approves', () => {
    expect(permissionRequest(known, call)).toEqual({
      ...{ reqId: 'r1', agent: null, server: 'fs', tool: 'read', arguments: { a: 1 }, meta: null },
      ...{ annotations: { readOnlyHint: true }, autoApprove: ['read'] },
    });
  });

  it('has nothing of a server that nobody knows, and of names that every object has', () => {
    const nobody = { ...call, server: 'constructor', tool: 'toString' };
    expect(permissionRequest(known, nobody)).toMatchObject({ annotations: null, autoApprove: [] });
    expect(permissionRequest(undefined, call)).toMatchObject({ annotations: null, autoApprove: [] });
    expect(toolIn(known, 'fs', 'toString')).toBeUndefined();
  });

  it('speaks of two tools with one name of that which stands first', () => {
    const twice = { ...known, catalogs: { fs: [tool, { ...tool, annotations: {} }] } };
    expect(toolIn(twice, 'fs', 'read')).toBe(tool);
  });
});
