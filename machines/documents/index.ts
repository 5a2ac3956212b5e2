export { limits } from './limits.ts';
export { checkPath, isSkipped, joinPath, type CheckedPath } from './path.ts';
export { patternTest } from './pattern.ts';
export { findLines, isBinary, linesOf, sizeText, type Hit } from './text.ts';
