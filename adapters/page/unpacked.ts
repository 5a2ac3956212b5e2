/** Returns the text of a block of a page that is one HTML file: base64 of a text that was compressed with gzip. */
export function unpacked(block: string): Promise<string> {
  const bytes = Uint8Array.from(atob(block), (char) => char.codePointAt(0) ?? 0);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
}
