import type { ServerLog } from '../../adapters/mcp/messages/notifications.ts';

/** Line that a server wrote to stderr or logged over MCP. */
export interface OutputLine {
  /** Time at which the line came, in ISO 8601. */
  readonly at: string;
  /**
   * Source of the line: `stderr` of the server's process, or `log` for a log message over MCP
   * (`notifications/message`).
   */
  readonly from: 'stderr' | 'log';
  /** Severity of a `log` line, such as `info` or `error`. */
  readonly level?: string;
  /** Text of the line, with secrets hidden. */
  readonly text: string;
}
interface Kept {
  readonly lines: OutputLine[];
  readonly decoder: InstanceType<typeof TextDecoder>;
  /** Begun line whose end has not come yet. */
  begun: string;
}
const mostLines = 500;
const longest = 4_096;

/** Lines of stderr and logs: each is passed on when it comes, and the last ones are kept. */
export class ServerOutput {
  readonly #servers = new Map<string, Kept>();
  readonly #redact: (text: string) => string;
  tell: (server: string, line: OutputLine) => void = () => {};

  constructor(redact: (text: string) => string) {
    this.#redact = redact;
  }
  wrote(server: string, chunk: Buffer): void {
    const kept = this.#of(server);
    const parts = (kept.begun + kept.decoder.decode(chunk, { stream: true })).split(/\r?\n/);
    kept.begun = (parts.pop() ?? '').slice(0, longest);
    for (const part of parts) this.#add(server, kept, { from: 'stderr', text: part });
  }
  logged(server: string, { level, logger, data }: ServerLog): void {
    const said = typeof data === 'string' ? data : (JSON.stringify(data) ?? String(data));
    const text = logger === undefined ? said : `${logger}: ${said}`;
    this.#add(server, this.#of(server), { from: 'log', level, text });
  }
  /** The oldest first, without an unfinished line. */
  linesOf(server: string): readonly OutputLine[] {
    return [...(this.#servers.get(server)?.lines ?? [])];
  }
  #of(server: string): Kept {
    const kept = this.#servers.get(server) ?? { lines: [], decoder: new TextDecoder(), begun: '' };
    this.#servers.set(server, kept);
    return kept;
  }
  #add(server: string, { lines }: Kept, said: Omit<OutputLine, 'at'>): void {
    const text = this.#redact(said.text.slice(0, longest));
    const line = { at: new Date().toISOString(), ...said, text };
    lines.push(line);
    if (lines.length > mostLines) lines.shift();
    this.tell(server, line);
  }
}
