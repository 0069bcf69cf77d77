/** Finds the page of a URL. */
import { KeyIndex } from './key-index.ts'
import type { ExportedAddress } from './page.ts'

/** Maps the URLs of pages, and those that redirected to them, to a number per page. A page wins over a redirect. */
export class AddressIndex {
  readonly #pages = new KeyIndex()
  readonly #redirects = new KeyIndex()

  add({ url, requestedUrl }: ExportedAddress, number: number): void {
    this.#pages.set(url, number)
    if (requestedUrl !== null) this.#redirects.set(requestedUrl, number)
  }

  /** @param url In normal form. */
  find(url: string): number | undefined {
    return this.#pages.get(url) ?? this.#redirects.get(url)
  }
}
