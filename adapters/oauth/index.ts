export type { LoginConfig } from './client-provider.ts';
export { PersonNeeded } from './client-provider.ts';
export { Refusal } from './guarded-fetch.ts';
export { Login, type Authorize, type AuthorizeRequest, type LoginNews } from './login.ts';
export { fileLogins, memoryLogins, type LoginStore } from './login-store.ts';
