import { describe, expect, it } from 'vitest';
import { isPypiReached, versions } from '../fixtures/python-peers.ts';
import { ourComputer, ourOffice, pythonAgent, skillText } from './pair-peers.ts';

/** Tests of Python agents that read the resources and the skills of a computer of this project. */
const knowing = Object.keys(versions).filter((version) => version >= '0.2');
describe.runIf(await isPypiReached())('a Python agent', () => {
  it.each(knowing)('%s reads resources and skills of our computer, and its errors', async (version) => {
    const office = await ourOffice();
    const computer = await ourComputer(version, office.url);
    const agent = await pythonAgent(version, office.url);
    try {
      await agent.sees('echo');
      expect(await agent.resources('files')).toEqual(['window://images/main']);
      await expect(agent.resources('nobody')).rejects.toThrow('4014');
      await expect(agent.resources('frail')).rejects.toThrow('4015');
      expect(await agent.skill('greet')).toBe(skillText);
    } finally {
      await agent.close();
      await computer.kill();
      await office.kill();
    }
  });
});
