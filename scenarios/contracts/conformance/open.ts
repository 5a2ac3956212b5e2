import type { Suite } from './suites.ts';

const olderFirst =
  'ours: a server is asked to `initialize` first, and one that speaks both is spoken to as before 2026-07-28 (DECISIONS.md)';
const enterprise = 'ours: login through an identity provider of a company (SEP-990) is not built';
const dpop = 'ours: tokens that are bound to a key (DPoP, SEP-1932) are not built';

/** Scenarios that fail, and whose fault that is. This list only shrinks. */
export const open: Readonly<Record<Suite, Readonly<Record<string, string>>>> = {
  stable: { 'auth/cross-app-access-complete-flow': enterprise },
  newest: {
    'auth/enterprise-managed-authorization': enterprise,
    'auth/dpop': dpop,
    'auth/dpop-nonce': dpop,
    'auth/wif-jwt-bearer': 'ours: the identity of a workload as a login (jwt-bearer) is not built',
    'json-schema-2020-12-preservation':
      'the driver: it answers with a sample, and the scenario wants the schema of the tool said back',
    'request-metadata': olderFirst,
  },
};
