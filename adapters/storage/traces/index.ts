export { openTraceFile, writeTraceFile, type TraceFile } from './file.ts';
export { createDigest, createRedactionKey, sha256Of, sha256OfBytes, type RedactionKey } from './hash.ts';
