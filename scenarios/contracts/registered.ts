import { describe, it } from 'vitest';
import type { ContractCase } from './contract.ts';

/** Registers the cases of a contract as a suite of the test runner of this project. */
export function registered(name: string, contract: readonly ContractCase[]): void {
  describe(name, () => {
    for (const { title, run: assertItHolds } of contract) it(title, () => assertItHolds());
  });
}
