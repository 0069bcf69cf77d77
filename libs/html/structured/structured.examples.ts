/** Reads small pages for the tests of structured data. */
import { parseTree } from '../tree/parse-tree.ts'
import { readStructured } from './read-structured.ts'
import type { Structured } from './structured.ts'

export const address = 'https://example.org/dir/page'

/** Returns the data after a round trip through JSON, as the service sends it. */
export function read(html: string, url = address): Structured {
  return JSON.parse(JSON.stringify(readStructured(parseTree(html), { url })))
}
