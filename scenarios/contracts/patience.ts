/** The sentence of the error names what did not come. */
export async function patient<T>(awaited: Promise<T>, what: string, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not come within ${ms} ms`)), ms);
  });
  return Promise.race([awaited, late]).finally(() => clearTimeout(timer));
}
