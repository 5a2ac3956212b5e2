import { describe, expect, it } from 'vitest';
import { meeting } from '../fixtures/from-python.ts';
import { isPypiReached, pythonOf } from '../fixtures/python-peers.ts';

const isReached = await isPypiReached();
const python = isReached ? await pythonOf('0.4.2') : '';
const ours = process.execPath;

describe.runIf(isReached)('examples/from-python, moved over one side at a time', () => {
  it.each([
    ['neither', [python, 'computer.py'], [python, 'agent.py']],
    ['the computer', [ours, 'computer.mjs'], [python, 'agent.py']],
    ['the agent', [python, 'computer.py'], [ours, 'agent.mjs']],
  ])('%s', async (_title, computer, agent) => {
    const said = await meeting(computer, agent);
    expect(said).toEqual(['laptop is in the office', 'Hello, world!', 'ended with 0']);
  });
});
