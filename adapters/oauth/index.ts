export type { AssertionRequest, GiveAssertion } from './proofs/assertion.ts';
export type { LoginConfig } from './client-provider.ts';
export { asksNobody, PersonNeeded } from './client-provider.ts';
export { Refusal } from './guarded-fetch.ts';
export { Login } from './login.ts';
export type { Authorize, AuthorizeRequest, LoggedOut, LoginNews } from './login-options.ts';
export { sharedLogins, memoryLogins, type LoginStore } from './login-store.ts';
