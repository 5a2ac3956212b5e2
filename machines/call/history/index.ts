export { defaultRemembered, withCall, type CallHistory, type PastCall } from './calls.ts';
export { byRecency, type ServerHistory } from './recency.ts';
