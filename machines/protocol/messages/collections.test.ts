import { describe, expect, it } from 'vitest';
import { configAs } from './collections.ts';

const config = {
  servers: { a: { type: 'stdio' }, b: { type: 'own:x' }, c: { type: 'inmemory' } },
  inputs: [
    { type: 'pickString', id: 'i', options: ['x'] },
    { type: 'promptString', id: 'j' },
  ],
};
describe('the config of a computer', () => {
  it.each(['0.1.0', '0.2.0', 'nonsense'])('goes as it is to an office of %s', (version) => {
    expect(configAs(version, config)).toBe(config);
  });
  it.each(['0.3.1', '0.4.0'])(
    'goes to an office of %s without what that would drop all of it for',
    (version) => {
      expect(configAs(version, config)).toEqual({
        servers: { a: { type: 'stdio' } },
        inputs: [
          { type: 'pickString', id: 'i', options: [{ label: 'x', value: 'x' }] },
          { type: 'promptString', id: 'j' },
        ],
      });
    },
  );
});
