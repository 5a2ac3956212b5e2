import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStderrRing, recentMs } from './stderr-ring.ts';

describe('the stderr ring', () => {
  it('keeps the last bytes however they came', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 40 })), fc.integer({ min: 1, max: 50 }), (texts, limit) => {
        const ring = createStderrRing(limit);
        const ascii = texts.map((text) => text.replace(/[^ -~]/g, '.'));
        for (const text of ascii) ring.push(Buffer.from(text));
        expect(ring.text()).toBe(ascii.join('').slice(-limit));
      }),
    );
  });

  it('never shows half a character', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme' })),
        fc.nat(40),
        fc.integer({ min: 4, max: 30 }),
        (texts, at, limit) => {
          const ring = createStderrRing(limit);
          const whole = texts.join('').replaceAll('\uFFFD', '');
          const bytes = Buffer.from(whole);
          ring.push(bytes.subarray(0, at));
          ring.push(bytes.subarray(at));
          expect(ring.text()).not.toContain('\uFFFD');
          expect(whole.endsWith(ring.text())).toBe(true);
        },
      ),
    );
  });

  it('leaves out a last character that has not come whole', () => {
    const ring = createStderrRing();
    const euro = Buffer.from('€');
    ring.push(Buffer.from('costs 5 '));
    ring.push(euro.subarray(0, 2));
    expect(ring.text()).toBe('costs 5 ');
    ring.push(euro.subarray(2));
    expect(ring.text()).toBe('costs 5 €');
  });

  it.each([
    ['of code page 850', [0x53, 0x81, 0xe1, 0x20, 0x6f, 0x6b], 'S\uFFFD\uFFFD ok'],
    ['of code page 1252', [0x53, 0xfc, 0xdf, 0x20, 0x6f, 0x6b], 'S\uFFFD\uFFFD ok'],
    ['of code page 932', [0x93, 0xfa, 0x96, 0x7b, 0x20, 0x6f], '\uFFFD\uFFFD\uFFFD{ o'],
    ['of UTF-16', [0x6f, 0, 0x6b, 0], 'o\0k\0'],
    ['that no text has', [0x6f, 0x6b, 0xff], 'ok\uFFFD'],
  ])('replaces bytes %s that are not UTF-8, and keeps the rest', (_of, bytes, text) => {
    const ring = createStderrRing();
    for (const byte of bytes) ring.push(Buffer.from([byte]));
    expect(ring.text()).toBe(text);
  });

  it('tells what came shortly before, a character that was cut in time left out', () => {
    let now = 0;
    const ring = createStderrRing(10, () => now);
    const say = (text: string | Uint8Array): void => ring.push(Buffer.from(text as string));
    say('Error');
    now += recentMs;
    say('-late');
    expect([ring.text(), ring.text('recent')]).toEqual(['Error-late', 'Error-late']);
    now += 1;
    expect([ring.text(), ring.text('recent')]).toEqual(['Error-late', '-late']);
    now += recentMs;
    expect([ring.text(), ring.text('recent')]).toEqual(['Error-late', '']);
    const euro = Buffer.from('€');
    say(euro.subarray(0, 1));
    now += recentMs + 1;
    say(euro.subarray(1));
    say('bye');
    expect(ring.text('recent')).toBe('bye');
    say('x'.repeat(20));
    expect(ring.text('recent')).toBe('x'.repeat(10));
  });

  it('is empty before anything was said', () => {
    expect(createStderrRing().text()).toBe('');
  });
});
