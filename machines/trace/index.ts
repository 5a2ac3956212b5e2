export { shortText } from './channels.ts';
export { ChannelNames, type Crossing, type HostWords } from './channels.ts';
export { canonical, Later, revived, textOfRecord, Texts, type Redactor } from './canonical.ts';
export { headSchema, recordSchema, tailSchema, traceFormat, type Head } from './format.ts';
export type { HeldFrame, Checkpoint, RootFrame } from './record.ts';
export type { Mark } from './record.ts';
export { type Profile } from './format.ts';
export {
  isCrossing,
  isProblem,
  readRows,
  readTrace,
  writerOf,
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
export { withoutNumber, type ChannelEvent, type Facts } from './record.ts';
export type { Frame, FrameVia } from './record.ts';
export { ownId, plainParams } from './channels.ts';
export type { DirectoryRecord, Thrown } from './record.ts';
export { Hiding, markOf, redacted, redactorOf, SecretRedactor, type KeyedHash } from './redaction.ts';
export { keepWords, keptForIn, type KeepWord, type KeptFor } from './reasons.ts';
export { replacedIn, SecretIndex } from './secret-rules.ts';
export {
  isSecretName,
  isSecretValue,
  loginsIn,
  secretSpansIn,
  secretsIn,
  secretsUnder,
} from './secret-rules.ts';
export { contextAfter, isSameOutside, type Step } from './record.ts';
