import { distance } from 'fastest-levenshtein';

/** Two slips in a word of four letters make another word. */
const slipsIn = (word: string): number => (word.length > 4 ? 2 : 1);
/** Shorter words are part of too many others. */
const shortestPart = 4;

const lettersOf = (word: string): string => word.split('').toSorted().join('');

/** Names that were probably meant by a word that is none of them, the nearest first, at most three. */
export function nearest(word: string, names: Iterable<string>): string[] {
  const wanted = word.toLowerCase();
  const slips = slipsIn(word);
  const far = (name: string): number => {
    const other = name.toLowerCase();
    const isPart = wanted.length >= shortestPart && other.includes(wanted);
    // Two letters that changed places are one slip.
    return isPart ? slips : lettersOf(wanted) === lettersOf(other) ? 1 : distance(wanted, other);
  };
  return [...new Set(names)]
    .filter((name) => name !== word)
    .map((name) => ({ name, far: far(name) }))
    .filter((each) => each.far <= slips)
    .toSorted((a, b) => a.far - b.far || a.name.length - b.name.length)
    .slice(0, 3)
    .map(({ name }) => name);
}
