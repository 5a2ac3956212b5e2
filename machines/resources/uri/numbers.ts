/** A whole number of at least 0 as text, blanks around it allowed: no sign, no fraction, none that JavaScript would round. */
export function wholeNumberIn(text: string): number | undefined {
  const trimmed = text.trim();
  if (!/^\d+$/.test(trimmed)) return undefined;
  const value = Number(trimmed);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** A whole number with both its limits included. */
export const isWithin = (value: number, least: number, most: number): boolean =>
  Number.isSafeInteger(value) && value >= least && value <= most;
