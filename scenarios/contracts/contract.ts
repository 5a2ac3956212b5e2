/** Test case for one rule of a port, for any test runner: `run` resolves, or rejects with the violation. */
export interface ContractCase {
  /** Title of the case, unique within its contract. */
  readonly title: string;
  /**
   * Runs the case in a world of its own, which is cleaned up in any case. Rejects with an `Error` that describes the violated
   * rule.
   */
  run(): Promise<void>;
}
export interface Rule<Harness> {
  readonly title: string;
  holds(harness: Harness): Promise<void>;
}

/** `play` creates the harness of a rule and closes it in any case. */
export const casesOf = <Harness>(
  chapters: Readonly<Record<string, readonly Rule<Harness>[]>>,
  play: (rule: Rule<Harness>) => Promise<void>,
): readonly ContractCase[] =>
  Object.entries(chapters).flatMap(([chapter, rules]) =>
    rules.map((rule) => ({ title: `${chapter} ${rule.title}`, run: () => play(rule) })),
  );
