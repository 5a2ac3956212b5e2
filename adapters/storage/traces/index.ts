export { openTraceFile, writeTraceFile, type TraceFile } from './file.ts';
export { createDigest, createRedactionKey, sha256Of, type RedactionKey } from './hash.ts';
