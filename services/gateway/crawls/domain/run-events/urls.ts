/** Maps keys to URLs, up to a bound: the oldest are dropped first, equally for every reader. */

const maxCharacters = 4 * 1024 ** 2

export class UrlMemory {
  readonly #urls = new Map<string, string>()
  readonly #most: number
  #characters = 0

  constructor(most = maxCharacters) {
    this.#most = most
  }

  note(key: string, url: string): void {
    const known = this.#urls.get(key)
    if (known !== undefined) this.#characters -= key.length + known.length
    this.#urls.delete(key)
    this.#urls.set(key, url)
    this.#characters += key.length + url.length
    for (const [oldest, itsUrl] of this.#urls) {
      if (this.#characters <= this.#most) break
      this.#urls.delete(oldest)
      this.#characters -= oldest.length + itsUrl.length
    }
  }

  /** The URL, or the key if the URL is no longer known. */
  of(key: string): string {
    return this.#urls.get(key) ?? key
  }
}
