/**
 * The pages of a run, numbered in the order of their URLs, so that whatever is in the order of its numbers is in that
 * of the URLs too; and the names by which links lead to them: their own, and those of URLs that redirected to them.
 */
import { urlKey } from '@tidemark/url/key'
import { KeyTable, nowhere, type Secret } from './key-table.ts'

/** Bytes of a URL key, and of one with a place behind it. */
export const keyBytes = 8
const aliasBytes = keyBytes + 4

/** Names of URLs that were met, of those that are no pages too; any beyond that is looked up anew each time. */
const mostMet = 2_000_000

/** The name of a text in packed links, by which it is known again without being read. */
export type Name = { low: number; high: number }

export class Places {
  readonly pages: number
  readonly #keys: KeyTable
  readonly #met: KeyTable

  /**
   * @param keys URL keys of all pages in the order of their URLs
   * @param aliases URL keys of what redirected to a page, each with its place; all numbers big-endian
   */
  constructor(keys: Buffer, aliases: Buffer, secret: Secret) {
    this.pages = keys.byteLength / keyBytes
    const count = this.pages + aliases.byteLength / aliasBytes
    this.#keys = new KeyTable(count, secret)
    this.#met = new KeyTable(count, secret)
    for (let at = 0; at < aliases.byteLength; at += aliasBytes)
      this.#note(aliases, at, aliases.readUInt32BE(at + keyBytes) + this.pages)
    for (let place = 0; place < this.pages; place++) this.#note(keys, place * keyBytes, place)
  }

  /** Which page has this key itself; -1 where none. */
  ofPage(key: string): number {
    const value = this.#valueOf(key)
    return value < this.pages ? value : nowhere
  }

  /** Where the URL with this key leads; -1 where to no page. */
  ofKey(key: string): number {
    const value = this.#valueOf(key)
    return value < this.pages ? value : value - this.pages
  }

  /** Where a URL leads that has this name in packed links, if it was met before; -1 where to no page. */
  met(low: number, high: number): number | undefined {
    return this.#met.get(low, high)
  }

  /** The same of one that may be new. */
  ofNamed({ low, high }: Name, url: string): number {
    const place = this.ofKey(urlKey(url))
    if (this.#met.size < mostMet) this.#met.set(low, high, place)
    return place
  }

  #note(bytes: Buffer, at: number, value: number): void {
    this.#keys.set(bytes.readInt32BE(at), bytes.readInt32BE(at + 4), value)
  }

  #valueOf(key: string): number {
    const bytes = Buffer.from(key, 'base64url')
    return this.#keys.get(bytes.readInt32BE(0), bytes.readInt32BE(4)) ?? nowhere
  }
}
