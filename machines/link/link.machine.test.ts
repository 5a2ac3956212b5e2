import { expect, it } from 'vitest';
import { firstKnown, noMarks } from './link.machine.ts';

it('a link counts the tools that an agent asks for at each entry as told, until they were told once', () => {
  const first = firstKnown({ marks: noMarks, announced: noMarks });
  const known = { ...noMarks, updateToolList: 'a' };
  expect(firstKnown({ marks: known, announced: first }).updateToolList).toBe('a');
  expect(firstKnown({ marks: known, announced: { ...first, updateToolList: 'b' } }).updateToolList).toBe('b');
});
it.each(['updateDesktop', 'updateFinder'] as const)(
  'a link counts what %s is about as told at the first entry only',
  (what) => {
    const known = { ...noMarks, [what]: 'a' };
    const first = firstKnown({ marks: noMarks, announced: noMarks });
    expect(firstKnown({ marks: known, announced: noMarks })[what]).toBe('a');
    expect(firstKnown({ marks: known, announced: first })[what]).toBeNull();
  },
);
it('a link tells of a config that changed before the first entry', () => {
  const { updateConfig } = firstKnown({ marks: { ...noMarks, updateConfig: 1 }, announced: noMarks });
  expect(updateConfig).toBe(0);
});
