/**
 * Finds the page of a URL of a run. The URL may have redirected to the page: a link to such a URL counts as a link to
 * the page.
 */
export class PagesByUrl<Page> {
  readonly #pages = new Map<string, Page>()

  /** Adds a page by the key of its URL. Add all pages before any redirect. */
  add(key: string, page: Page): void {
    this.#pages.set(key, page)
  }

  /** Returns undefined if the key is neither that of a page nor of a URL that redirected to one. */
  find(key: string): Page | undefined {
    return this.#pages.get(key)
  }

  /**
   * Adds a URL that redirected to a page, or to another URL that did. If the URL is also that of a page, the page
   * counts. Returns false if the target leads to no page so far.
   */
  alias(redirected: string, target: string): boolean {
    const page = this.#pages.get(target)
    if (page === undefined) return false
    if (!this.#pages.has(redirected)) this.#pages.set(redirected, page)
    return true
  }
}
