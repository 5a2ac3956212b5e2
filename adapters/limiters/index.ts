export { createCallLimiters, type CallLimitersOptions } from './call-limiters.ts';
