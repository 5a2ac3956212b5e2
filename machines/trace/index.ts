export { shortText } from './channel-words.ts';
export { ChannelNames, type Crossing, type HostWords } from './channels.ts';
export { canonical, Later, revived, textOfRecord, Texts, type Redactor } from './canonical.ts';
export { headSchema, recordSchema, tailSchema, traceFormat, type Head } from './format.ts';
export type { HeldFrame, Checkpoint, RootFrame } from './checkpoint.ts';
export type { Mark } from './mark.ts';
export { type Profile } from './profiles.ts';
export {
  isCrossing,
  isProblem,
  readRows,
  readTrace,
  textOfLine,
  TraceCollector,
  TraceReader,
  type CrossingLine,
  type FrameLine,
  type Problem,
  type Trace,
  type TraceLine,
  type TraceRead,
} from './reading.ts';
export { withoutNumber, type ChannelEvent, type Facts } from './facts.ts';
export type { Frame, FrameVia } from './frame.ts';
export { ownId, plainParams } from './own-ids.ts';
export type { DirectoryRecord, Thrown } from './record.ts';
export { Hiding, markOf, redacted, redactorOf, SecretRedactor, type KeyedHash } from './redaction.ts';
export { replacedIn, SecretIndex } from './secret-index.ts';
export { isSecretName, loginsIn, secretSpansIn, secretsIn, secretsUnder } from './secret-rules.ts';
export { contextAfter, isSameOutside, type Step } from './step.ts';
