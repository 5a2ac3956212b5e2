/** `callUnknown`: nobody cancelled it; `fault`: a machine failed, a message was lost, or a defect was found. */
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
export interface KeptFor {
  readonly on: KeepWord;
  readonly subject: string;
}
const parted = new RegExp(`, (?=(?:${keepWords.join('|')}) )`, 'u');
export const keptForIn = (text: string): KeptFor[] =>
  text.split(parted).flatMap((part) => {
    const on = keepWords.find((word) => part.startsWith(`${word} `));
    return on ? [{ on, subject: part.slice(on.length + 1) }] : [];
  });
