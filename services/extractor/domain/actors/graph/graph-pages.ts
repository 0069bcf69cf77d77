/**
 * The pages of a run, numbered in the order of their URLs, and the names of links to them: their own and those of URLs
 * that redirected to them.
 */
import { urlKey } from '@tidemark/url/key'
import { KeyTable, nowhere, type Secret } from './key-table.ts'

/** Bytes of a URL key, and of a key followed by a page number. */
export const keyBytes = 8
const aliasBytes = keyBytes + 4

/**
 * Maximum number of cached names, including those of URLs that are not pages. Names beyond it are looked up each time.
 */
const maxMet = 2_000_000

/** The name of a text in packed links, which identifies the text without reading it. */
export type Name = { low: number; high: number }

export class GraphPages {
  readonly pages: number
  readonly #keys: KeyTable
  readonly #met: KeyTable

  /**
   * @param keys URL keys of all pages in the order of their URLs
   * @param aliases URL keys of redirecting URLs, each followed by the number of the target; all numbers big-endian
   */
  constructor(keys: Buffer, aliases: Buffer, secret: Secret) {
    this.pages = keys.byteLength / keyBytes
    const count = this.pages + aliases.byteLength / aliasBytes
    this.#keys = new KeyTable(count, secret)
    this.#met = new KeyTable(count, secret)
    for (let at = 0; at < aliases.byteLength; at += aliasBytes)
      this.#record(aliases, at, aliases.readUInt32BE(at + keyBytes) + this.pages)
    for (let page = 0; page < this.pages; page++) this.#record(keys, page * keyBytes, page)
  }

  /** Returns the page with this key, or -1. */
  ofPage(key: string): number {
    const value = this.#valueOf(key)
    return value < this.pages ? value : nowhere
  }

  /** Returns the page that the URL with this key leads to, or -1. */
  ofKey(key: string): number {
    const value = this.#valueOf(key)
    return value < this.pages ? value : value - this.pages
  }

  /** Returns the page of a name in packed links, -1 if it leads to no page, or undefined if it is not cached. */
  met(low: number, high: number): number | undefined {
    return this.#met.get(low, high)
  }

  /** Returns the page that this URL leads to, or -1, and caches it under the name while the cache has space. */
  ofNamed({ low, high }: Name, url: string): number {
    const page = this.ofKey(urlKey(url))
    if (this.#met.size < maxMet) this.#met.set(low, high, page)
    return page
  }

  #record(bytes: Buffer, at: number, value: number): void {
    this.#keys.set(bytes.readInt32BE(at), bytes.readInt32BE(at + 4), value)
  }

  #valueOf(key: string): number {
    const bytes = Buffer.from(key, 'base64url')
    return this.#keys.get(bytes.readInt32BE(0), bytes.readInt32BE(4)) ?? nowhere
  }
}
