import { nearest } from '../../fault-server/nearest.mjs';
import { layers, vocabulary, type Word } from '../../fault-server/words/fault.ts';

const isKnown = (name: string): boolean =>
  (layers as readonly string[]).includes(name) || vocabulary.some(({ fault }) => fault === name);

/**
 * Which faults may happen, from a list such as `proc,rpc.never`: layers and words. `all` and `none` are what they say.
 * Throws with the nearest names of what it does not know.
 */
export function selectionOf(text: string): (word: Word) => boolean {
  const names = text.split(',').filter((name) => name !== '');
  if (text === 'all') return () => true;
  if (text === 'none') return () => false;
  const unknown = names.find((name) => !isKnown(name));
  if (unknown !== undefined || names.length === 0) {
    const near = nearest(unknown ?? '', [...layers, ...vocabulary.map(({ fault }) => fault)]);
    const meant =
      near.length > 0 ? `did you mean ${near.join(' or ')}?` : `known layers: ${layers.join(', ')}`;
    throw new Error(`no fault or layer '${unknown ?? text}' — ${meant}`);
  }
  const chosen = new Set(names);
  return ({ fault, layer }) => chosen.has(fault) || chosen.has(layer);
}
