import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { NotSent, type McpTransport } from './transport.ts';

/** Base class of transports around another one, which passes all on that its subclass does not change. */
export abstract class WrappingTransport implements McpTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: McpTransport['onmessage'];
  protected inner: McpTransport | undefined;

  get lost(): McpTransport['lost'] {
    return this.inner?.lost;
  }
  get step(): McpTransport['step'] {
    return this.inner?.step;
  }
  get revision(): string | undefined {
    return this.inner?.revision;
  }
  get heldBytes(): number {
    return this.inner?.heldBytes ?? 0;
  }
  abstract start(): Promise<void> | undefined;
  protected begin(inner: McpTransport): Promise<void> | undefined {
    this.inner = inner;
    inner.onclose = () => this.ended();
    inner.onerror = (error) => this.onerror?.(error);
    inner.onmessage = (message, extra) => this.received(message, extra);
    return inner.start();
  }
  protected ended(): void {
    this.onclose?.();
  }
  protected received(...[message, extra]: Parameters<NonNullable<McpTransport['onmessage']>>): void {
    this.onmessage?.(message, extra);
  }
  setProtocolVersion(version: string): void {
    this.inner?.setProtocolVersion?.(version);
  }
  send(message: JSONRPCMessage): Promise<void> | undefined {
    return this.inner ? this.inner.send(message) : Promise.reject(new NotSent());
  }
  close(): Promise<void> {
    return this.inner?.close() ?? Promise.resolve();
  }
  closed(): Promise<void> {
    return this.inner?.closed?.() ?? Promise.resolve();
  }
}
