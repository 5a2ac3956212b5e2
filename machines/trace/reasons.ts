/**
 * Reasons for writing a trace by itself. `callUnknown`: the effect of a call is unknown, and nobody cancelled it.
 * `callFailed`: a call failed. `outputMismatch`: a result breaks the output schema of its tool, or MCP.
 * `serverGaveUp`: too many tries of a server failed. `serverLost`: a ready server was lost. `fault`: a machine failed,
 * a message was lost, or a defect was found.
 */
export const keepWords = [
  'callUnknown',
  'callFailed',
  'outputMismatch',
  'serverGaveUp',
  'serverLost',
  'fault',
] as const;
/** Event of `RecordOptions.on` that causes a trace to be written. */
export type KeepWord = (typeof keepWords)[number];
/** Event for which a trace was written, with its tool, server or address. */
export interface KeptFor {
  readonly on: KeepWord;
  readonly subject: string;
}
const parted = new RegExp(`, (?=(?:${keepWords.join('|')}) )`, 'u');
/** Reads the events in the reason of a trace's last line, or in a mark; empty for any other text. */
export const keptForIn = (text: string): KeptFor[] =>
  text.split(parted).flatMap((part) => {
    const on = keepWords.find((word) => part.startsWith(`${word} `));
    return on ? [{ on, subject: part.slice(on.length + 1) }] : [];
  });
