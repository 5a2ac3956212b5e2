/** What one question may cost. A reader is told whenever one of these cut an answer short. */
export const limits = {
  /** Largest file that is read whole, searched, or answered in one piece. */
  fileBytes: 1024 * 1024,
  /** How far into a larger file a part may begin or end. */
  partBytes: 64 * 1024 * 1024,
  /** All files of one search together. */
  searchBytes: 64 * 1024 * 1024,
  /** Entries of a list, hits of a search. */
  results: 200,
  /** Directory entries looked at for one answer, shown or not. */
  visited: 20_000,
  /** Levels below the folder that was asked for. */
  depth: 20,
  /** Bytes at the start of a file by which text is told from the rest. */
  sniffBytes: 8192,
  /** Characters of a line shown around a hit. */
  previewChars: 240,
  /** Characters of a query or pattern. */
  wordChars: 500,
} as const;
