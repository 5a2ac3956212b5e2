import { expect, describe, it } from 'vitest';
import { a2c } from '../../scenarios/contracts/command-told.ts';
import { createOffice } from '../office.ts';

describe('an office', () => {
  it.each(['office', 'up'])(
    'of a2c %s whose port is taken says so, and nothing is started',
    async (command) => {
      await using taken = await createOffice({ port: 0 });
      const { code, out, err } = await a2c(command, '--port', String(taken.port));
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toMatch(/^error: .*is already in use/m);
      expect(err).not.toContain('server ');
    },
  );

  it('that others could reach is refused', async () => {
    const { code, err } = await a2c('office', '--port', '0', '--host', '0.0.0.0');
    expect(code).toBe(1);
    expect(err).toContain('loopback only');
  });
});

describe('the embedded default', () => {
  it('reads a file of the current folder without any config', async () => {
    const { code, out } = await a2c('call', 'read_file', '{"path":"package.json"}');
    expect(code).toBe(0);
    expect(out).toContain('"name": "a2c-actors"');
  });
});
