import type { LogIn } from '../../../machines/client/client.events.ts';
import type { Emit, Ports, RequestFact } from '../../../machines/kernel/ports.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';

/** What nobody can give who is not there. */
export const nobodyLogsIn = (server: string): Failure => ({
  code: 'Unauthorized',
  message: `Server '${server}' wants a login (HTTP 401): a person has to log in, and this host can ask nobody`,
  details: { server_name: server, http_status: 401 },
  remedy: `Log in: a2c login ${server}`,
});

/** A fake of the port `login`: nobody is there, or a person whose steps a scenario gives one by one. */
export class ScriptedLogins {
  readonly #asked = new Map<string, { readonly id: string; readonly emit: Emit<RequestFact> }>();
  /** Somebody can be asked. */
  hasPerson = false;

  /** Whether somebody waits for a login to this server. */
  isAsked(server: string): boolean {
    return this.#asked.has(server);
  }
  show(server: string): void {
    this.#tell(server, ({ id, emit }) =>
      emit({ type: 'ask.progress', id, progress: 0, message: 'https://as.test' }),
    );
  }
  comesBack(server: string): void {
    this.#tell(server, ({ id, emit }) => emit({ type: 'ask.began', id }));
  }
  agrees(server: string): void {
    this.#tell(server, ({ id, emit }) => emit({ type: 'ask.answered', id, result: {} }));
  }
  refuses(server: string): void {
    this.#tell(server, ({ id, emit }) =>
      emit({ type: 'ask.refused', id, sent: false, failure: nobodyLogsIn(server) }),
    );
  }
  #tell(server: string, tell: (asked: { id: string; emit: Emit<RequestFact> }) => void): void {
    const asked = this.#asked.get(server);
    if (asked) tell(asked);
  }
  request: Ports['request'] = (_from, { id, params }, emit) => {
    const { server } = params as LogIn;
    if (!this.hasPerson) {
      emit({ type: 'ask.refused', id, sent: false, failure: nobodyLogsIn(server) });
      return () => {};
    }
    this.#asked.set(server, { id, emit });
    return () => void this.#asked.delete(server);
  };
}
