import type { Library } from '../library/library.ts';
import type { WordIndex } from '../library/word-index.ts';
import type { DocumentResources } from './documents.ts';
import type { Windows } from './windows.ts';

export interface ResourceEvent {
  readonly isListChanged: boolean;
  readonly updated: readonly string[];
}
/** What all sessions of one server have together. */
export interface Shared {
  readonly library: Library;
  readonly host: string;
  readonly documents: DocumentResources;
  readonly windows: Windows;
  readonly words: WordIndex;
  /** Puts a page on the Desktop. */
  open(ref: string, index: number): void;
  onEvent(listener: (event: ResourceEvent) => void): () => void;
  close(): Promise<void>;
}
