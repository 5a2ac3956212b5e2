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
  /** Largest file that is read as a document. */
  documentBytes: 50 * 1024 * 1024,
  /** What an office file may unpack to, all its parts together. */
  unpackedBytes: 200 * 1024 * 1024,
  /** How long one document may be read for, and what this process may grow by meanwhile. */
  parseMs: 20_000,
  parseGrowthBytes: 768 * 1024 * 1024,
  /** Heap of one reading thread. */
  parseHeapMb: 512,
  /** Rows of one table, columns of a row, elements of a page: the rest is counted. */
  tableRows: 2000,
  tableColumns: 200,
  pageElements: 2000,
  /** What was read is kept up to here, as characters of JSON. */
  cachedChars: 64 * 1024 * 1024,
  /** Documents that are listed one by one; of more the catalogue is listed. */
  listedDocuments: 200,
  /** All documents of a folder. */
  documents: 20_000,
  /** Characters of a window. */
  windowChars: 20_000,
  /** Pages that `open` keeps on the Desktop. */
  openPages: 8,
} as const;
