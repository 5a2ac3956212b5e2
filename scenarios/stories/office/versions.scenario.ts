import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import { everybody } from '../../stage/watching.ts';

const servers = { fs: { tools: { read: { answers: { content: [] } } } } };

scenario('an office of another version that we speak is entered with that', { servers }, async (s) => {
  s.network.faults.speakOnly('0.3.1');
  await everybody(s);
  for (const who of ['agent', 'computer'])
    expect(s.heard(who, 'link.changed').map((e) => e.stage)).toEqual(['connecting', 'connecting', 'joined']);
  s.network.faults.dropLink('a1');
  await s.run(3000);
  expect(s.heard('agent', 'link.changed').at(-1)?.stage).toBe('joined');
});

scenario('an office of a version that nobody speaks is named, and left alone', { servers }, async (s) => {
  s.network.faults.speakOnly('0.99.0');
  await everybody(s);
  const refused = s.heard('agent', 'link.changed').at(-1);
  expect(refused).toMatchObject({ stage: 'waiting', refusal: 'version' });
  expect(refused?.reason).toContain('0.99.0');
  await s.run(60_000);
  expect(s.heard('agent', 'link.changed')).toHaveLength(2);
  // Another office may have been started at the same address, so the link tries again.
  s.network.faults.clearFaults();
  await s.run(600_000);
  expect(s.heard('agent', 'link.changed').at(-1)?.stage).toBe('joined');
});

scenario('an office that wants another version at each try is left alone, too', { servers }, async (s) => {
  s.network.faults.speakOnly('0.3.1');
  await s.office();
  await s.run(10);
  s.network.faults.setLatency(10);
  s.agent();
  await s.run(15);
  s.network.faults.speakOnly('0.4.0');
  await s.run(1000);
  expect(s.heard('agent', 'link.changed').at(-1)).toMatchObject({ stage: 'waiting', refusal: 'version' });
  s.network.faults.clearFaults();
  await s.run(600_000);
});
