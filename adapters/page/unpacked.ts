export async function* unpackedParts(block: string): AsyncGenerator<string> {
  const bytes = Uint8Array.from(atob(block), (char) => char.codePointAt(0) ?? 0);
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  const utf8 = new TextDecoder();
  for (let read = await reader.read(); !read.done; read = await reader.read())
    yield utf8.decode(read.value, { stream: true });
}
export async function unpacked(block: string): Promise<string> {
  let text = '';
  for await (const part of unpackedParts(block)) text += part;
  return text;
}
