/**
 * Note that the host's program writes into a trace between two crossings, for people to read:
 * `computer.mark('checkout retry')`.
 */
export interface Mark {
  readonly k: 'mark';
  readonly text: string;
}
