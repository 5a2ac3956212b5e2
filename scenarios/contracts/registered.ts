import { describe, it } from 'vitest';
import type { ContractCase } from './contract.ts';

/** A contract as a suite of our own runner. */
export function registered(name: string, contract: readonly ContractCase[]): void {
  describe(name, () => {
    for (const { title, run: assertItHolds } of contract) it(title, () => assertItHolds());
  });
}
