/** One thing that a port owes. Any runner of tests can run it: it resolves, or rejects with what does not hold. */
export interface ContractCase {
  /** Unique in its contract. */
  readonly title: string;
  /** Sets up a world of its own, and clears it however the case went. */
  run(): Promise<void>;
}
/** The same before it has a stage to be held on. */
export interface Law<Stage> {
  readonly title: string;
  holds(stage: Stage): Promise<void>;
}

/** Each law of each chapter on a stage of its own; `play` sets it up, and clears it however the law went. */
export const casesOf = <Stage>(
  chapters: Readonly<Record<string, readonly Law<Stage>[]>>,
  play: (law: Law<Stage>) => Promise<void>,
): readonly ContractCase[] =>
  Object.entries(chapters).flatMap(([chapter, laws]) =>
    laws.map((law) => ({ title: `${chapter} ${law.title}`, run: () => play(law) })),
  );
