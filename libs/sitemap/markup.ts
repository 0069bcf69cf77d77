/** Reads XML in portions, by a tokenizer that takes every text and keeps no tree. */
import { Tokenizer } from 'htmlparser2'
import type { Addresses } from './addresses.ts'
import { stepCharacters } from './limits.ts'
import { Scanner } from './scanner.ts'
import type { Kind } from './sitemap.ts'

/** Ends where the sitemap ends, or where it turns out to be none. */
export function* readMarkup(text: string, addresses: Addresses): Generator<void, Kind> {
  const scanner = new Scanner(text, addresses)
  const tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: false }, scanner)
  for (let at = 0; at < text.length && !scanner.isOver; at += stepCharacters) {
    tokenizer.write(text.slice(at, at + stepCharacters))
    yield
  }
  if (!scanner.isOver) tokenizer.end()
  scanner.finish()
  return scanner.what
}
