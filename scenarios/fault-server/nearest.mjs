import { distance } from 'fastest-levenshtein';

const lastPart = (word) => word.slice(word.lastIndexOf('.') + 1);

/** Returns up to three known words that are nearest to a word. A word with a missing or wrong layer counts as near. */
export function nearest(word, known) {
  const said = String(word).toLowerCase();
  return known
    .map((each) => {
      const meant = each.toLowerCase();
      const far = Math.min(distance(said, meant), distance(lastPart(said), lastPart(meant)) + 0.5);
      return { each, far };
    })
    .filter(({ each, far }) => far <= Math.max(2.5, lastPart(each).length / 3))
    .sort((left, right) => left.far - right.far)
    .slice(0, 3)
    .map(({ each }) => each);
}
