import { describe, expect, it } from 'vitest';
import { closedAfter } from '../fixtures/closed-after.ts';
import { isPypiReached, versions } from '../fixtures/python-peers.ts';
import { ourAgent, ourComputer, ourOffice, pythonAgent, pythonComputer, skillText } from './pair-peers.ts';

const ofServer = 'mcp:files:pack';
const knowing = Object.keys(versions).filter((version) => version >= '0.2');
describe.runIf(await isPypiReached())('a Python agent', () => {
  it.each(knowing)('%s reads resources and skills of our computer, and its errors', async (version) => {
    const office = closedAfter(await ourOffice());
    closedAfter(await ourComputer(version, office.url));
    const agent = closedAfter(await pythonAgent(version, office.url));
    await agent.sees('echo');
    expect(await agent.resources('files')).toEqual([
      'window://images/main',
      'skill://files/pack',
      'skill://files/pack/SKILL.md',
      'skill://files/pack/lists/box.txt',
    ]);
    await expect(agent.resources('nobody')).rejects.toThrow('4014');
    await expect(agent.resources('frail')).rejects.toThrow('4015');
    expect(await agent.skill('greet')).toBe(skillText);
    expect(await agent.skill(ofServer)).toBe('Pack it.\n');
    expect(await agent.skill(ofServer, 'lists/box.txt')).toBe('a lid');
  });
});
describe.runIf(await isPypiReached())('our agent', () => {
  it.each(knowing)('reads skills of the servers of a computer of %s', async (version) => {
    const office = closedAfter(await ourOffice());
    closedAfter(await pythonComputer(version, office.url));
    const agent = closedAfter(await ourAgent(office.url));
    await agent.sees('echo');
    expect(await agent.skill(ofServer)).toBe('Pack it.\n');
    expect(await agent.skill(ofServer, 'lists/box.txt')).toBe('a lid');
  });
});
