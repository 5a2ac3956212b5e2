import { textOfRecord, Texts, type Redactor } from '../../machines/trace/index.ts';

/** A list that is as long as this when written stands once in a file, and by its hash wherever else it is. */
const leastShared = 1_024;

export interface LineOptions {
  readonly redactor?: Redactor;
  readonly sha256: (text: string) => string;
  readonly digest: () => { add(text: string): void; value(): string };
}
type Fields = Readonly<Record<string, unknown>> & { readonly k: string };

/** Writes records as the numbered lines of a file, and keeps the digest of all of them. */
export class LineWriter {
  readonly #redactor: Redactor | undefined;
  readonly #texts: Texts;
  readonly #digest: { add(text: string): void; value(): string };
  /** Lists that the file has. */
  readonly #lists = new Set<string>();
  #fresh: { readonly h: string; readonly text: string }[] = [];
  /** Number of the next line. */
  #next: number;
  records = 0;

  constructor({ redactor, sha256, digest }: LineOptions, next = 1) {
    this.#redactor = redactor;
    this.#next = next;
    this.#texts = new Texts((text) => {
      if (text.length < leastShared) return undefined;
      const h = sha256(text).slice(0, 16);
      if (!this.#lists.has(h)) {
        this.#lists.add(h);
        this.#fresh.push({ h, text });
      }
      return h;
    });
    this.#digest = digest();
  }
  digest(): string {
    return this.#digest.value();
  }
  get next(): number {
    return this.#next;
  }
  /**
   * The line of a record, behind those of the lists that it is the first to name. `w`: of crossings and marks. `json`: a
   * further field that is text already.
   */
  line(record: Fields, t: number, w: number | undefined, json?: string): string {
    // Names of channels are redacted already, where they are made.
    const { ch, ...rest } = record;
    const plain = textOfRecord(rest, this.#redactor, this.#texts);
    const named = ch === undefined ? plain : `{"ch":${JSON.stringify(ch)},${plain.slice(1)}`;
    const text = json === undefined ? named : `{"json":${json},${named.slice(1)}`;
    let lines = '';
    for (const { h, text: list } of this.#sharedIn(text))
      lines += this.#placed(t, undefined, `{"h":"${h}","k":"list","v":${list}}`);
    const isCrossing = ch !== undefined || record.k === 'mark' || record.k === 'facts';
    return lines + this.#placed(t, isCrossing ? w : undefined, text);
  }
  /** New lists that a text refers to. Others are what it was before a secret in it was known. */
  #sharedIn(text: string): readonly { readonly h: string; readonly text: string }[] {
    if (this.#fresh.length === 0) return [];
    let all = text;
    const kept = this.#fresh.toReversed().filter((list) => {
      const isKept = all.includes(`{"$list":"${list.h}"}`);
      if (isKept) all += list.text;
      else this.#lists.delete(list.h);
      return isKept;
    });
    this.#fresh = [];
    return kept.toReversed();
  }
  #placed(t: number, w: number | undefined, text: string): string {
    const s = this.#next;
    this.#next += 1;
    this.records += 1;
    this.#digest.add(text);
    return `{"s":${s},"t":${t},${w === undefined ? '' : `"w":${w},`}${text.slice(1)}\n`;
  }
}
