import type { ServerLog } from '../../adapters/index.ts';

/** Line that a server wrote beside its answers. */
export interface OutputLine {
  /** When it came, ISO 8601. */
  readonly at: string;
  /** `stderr` of its process, or `log`: over MCP (`notifications/message`). */
  readonly from: 'stderr' | 'log';
  /** Severity of a `log` line, such as `info` or `error`. */
  readonly level?: string;
  /** Secrets hidden. */
  readonly text: string;
}
interface Kept {
  readonly lines: OutputLine[];
  readonly decoder: InstanceType<typeof TextDecoder>;
  /** A line that has not ended. */
  begun: string;
}
/** Number of lines that are kept of each server; a longer line is cut. */
const mostLines = 500;
const longest = 4_096;

/** Lines that servers write to stderr and log: told as they come, and the last ones kept. */
export class ServerOutput {
  readonly #servers = new Map<string, Kept>();
  readonly #redact: (text: string) => string;
  /** Hears each line. */
  tell: (server: string, line: OutputLine) => void = () => {};

  constructor(redact: (text: string) => string) {
    this.#redact = redact;
  }
  /** Bytes of its stderr. */
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
  /** The oldest first. What has no line end yet is not among them. */
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
