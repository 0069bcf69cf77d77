/** Maps keys to URLs, up to a total length. The oldest are dropped first, at the same point for every reader. */

const maxCharacters = 4 * 1024 ** 2

export class UrlMemory {
  readonly #urls = new Map<string, string>()
  readonly #maxCharacters: number
  #characters = 0

  constructor(max = maxCharacters) {
    this.#maxCharacters = max
  }

  note(key: string, url: string): void {
    const known = this.#urls.get(key)
    if (known !== undefined) this.#characters -= key.length + known.length
    this.#urls.delete(key)
    this.#urls.set(key, url)
    this.#characters += key.length + url.length
    for (const [oldest, itsUrl] of this.#urls) {
      if (this.#characters <= this.#maxCharacters) break
      this.#urls.delete(oldest)
      this.#characters -= oldest.length + itsUrl.length
    }
  }

  /** Returns the URL, or the key if the URL was dropped. */
  of(key: string): string {
    return this.#urls.get(key) ?? key
  }
}
