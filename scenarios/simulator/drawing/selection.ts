import { nearest } from '../../fault-server/nearest.mjs';
import { layers, vocabulary, type Word } from '../../fault-server/words/fault.ts';

const isKnown = (name: string): boolean =>
  (layers as readonly string[]).includes(name) || vocabulary.some(({ fault }) => fault === name);

/** Layers, words, `all` or `none`, such as `proc,rpc.never`; throws with the nearest names for an unknown one. */
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
