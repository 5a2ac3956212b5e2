import type { FlightOptions, FlightRecorder } from '../recording/flight-recorder.ts';
import type { KnownSecrets } from '../secrets/known-secrets.ts';
import type { Frames } from '../recording/frames.ts';
import type { HostIncidents } from '../recording/host-incidents.ts';
import type { Directory } from '../runtime/directory.ts';
import type { Fields } from '../../machines/protocol/json.ts';

/** Options of the page that shows a running host in a browser. */
export interface InspectOptions {
  /** Port of the page on 127.0.0.1; by default any free one. */
  readonly port?: number | undefined;
  /** Lets the page start, stop and retry servers, and make and cancel calls; false by default, so that the page only shows. */
  readonly allowControl?: boolean | undefined;
}
/** Open page that shows a running host in a browser. `await using` closes it. */
export interface Inspection extends AsyncDisposable {
  /**
   * Address of the page, for a browser of this machine. The token behind its `#` lets a person see all that the host
   * sees, except secrets.
   */
  readonly url: string;
  /**
   * Closes the page: tells open browsers that it is over, and frees the port. The host keeps running. Repeated calls do
   * nothing.
   */
  close(): Promise<void>;
}
/** Each resolves with the answer for the page, or rejects when it cannot be carried out. */
export type PageOrders = Readonly<
  Record<
    'start' | 'stop' | 'retry' | 'cancel' | 'call',
    (target: string, params: Fields) => Promise<object | void>
  >
>;
export interface Inspected {
  readonly kind: 'up' | 'office' | 'computer' | 'agent' | 'supervisor' | 'file';
  readonly name: string;
  readonly orders?: PageOrders;
}
/** Trace to be replayed: a file, or the text of what a host has in memory. */
export type Recorded = { readonly file: string } | { readonly text: string };
/** The trace of an incident, and its checks where it was replayed. */
export interface Story {
  readonly text: string;
  readonly checks: object | null;
}
/** Runtime, as its pages use it. */
export interface ShownRuntime {
  readonly directory: Directory;
  readonly flight: FlightRecorder | undefined;
  readonly frames: Frames;
  readonly incidents: HostIncidents;
  readonly options: FlightOptions;
  readonly secrets: KnownSecrets;
  /** ISO 8601. */
  readonly started: string;
  linesOf(server: string): readonly unknown[];
  /** Replays a trace, so that it has the steps of all machines; the command has it, a program that embeds a host has not. */
  readonly retell: ((trace: Recorded) => Promise<Story> | undefined) | undefined;
}
/** Pages that show one host. Each `open` makes an address of its own. */
export interface Pages {
  open(inspected: Inspected, options?: InspectOptions): Promise<Inspection>;
  mark(text: string): void;
  close(): Promise<void>;
}
