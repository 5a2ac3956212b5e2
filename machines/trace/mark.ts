/** A word of the host between two crossings, for people: `computer.mark('checkout retry')`. */
export interface Mark {
  readonly k: 'mark';
  readonly text: string;
}
