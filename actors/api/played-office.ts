import type { Links } from '../../adapters/index.ts';

/** Reaches an office without a socket. Only `worldOf(trace)` of `a2c-actors/replay` makes one. */
export interface PlayedOffice {
  /** Always true: it says what the office of a trace has said. */
  readonly isPlayed: true;
}
/** Gives a runtime what it takes for it. */
export const linksOf = ({ links }: { readonly links?: PlayedOffice }): Links | undefined =>
  links as unknown as Links | undefined;
