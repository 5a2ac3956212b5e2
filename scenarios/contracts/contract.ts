/** One rule of a port. Any test runner can run it: it resolves, or rejects with what does not hold. */
export interface ContractCase {
  /** Unique in its contract. */
  readonly title: string;
  /** Sets up a world of its own, and clears it however the case went. */
  run(): Promise<void>;
}
/** A rule of a port, before it has a harness to run with. */
export interface Rule<Harness> {
  readonly title: string;
  holds(harness: Harness): Promise<void>;
}

/** Each rule of each chapter, with a harness of its own; `play` sets it up, and closes it in any case. */
export const casesOf = <Harness>(
  chapters: Readonly<Record<string, readonly Rule<Harness>[]>>,
  play: (rule: Rule<Harness>) => Promise<void>,
): readonly ContractCase[] =>
  Object.entries(chapters).flatMap(([chapter, rules]) =>
    rules.map((rule) => ({ title: `${chapter} ${rule.title}`, run: () => play(rule) })),
  );
