/** Collects the URLs of a sitemap up to the limits of the protocol, and records omissions. */
import { longestDate, maxAddresses, maxAddressLength } from './limits.ts'

export type List = 'urls' | 'sitemaps'

const called: Record<List, string> = { urls: 'addresses', sitemaps: 'sitemaps' }

/** Data beside the pages of a sitemap, by the elements of its extensions. */
export type Extras = { images: number; videos: number; alternates: number }

export class Addresses {
  readonly urls: string[] = []
  readonly sitemaps: string[] = []
  /** When each of `urls` was changed, where that is said: at the same place. */
  readonly dates: string[] = []
  readonly extras: Extras = { images: 0, videos: 0, alternates: 0 }
  cut: string | null = null
  /** Whether the text ends before its first element does. */
  isBrokenOff = false

  /** Whether a list is full and more was found: the rest of the sitemap need not be read. */
  get isFull(): boolean {
    return this.#full
  }
  #full = false

  /** Adds a URL. An empty or overlong one is ignored. */
  add(list: List, text: string, date = ''): void {
    const address = text.trim()
    if (address === '' || address.length > maxAddressLength || this.#full) return
    if (this[list].length < maxAddresses) {
      if (list === 'urls' && date !== '') this.dates[this.urls.length] = date.slice(0, longestDate)
      this[list].push(address)
    } else {
      this.#full = true
      this.leaveOut(`more than ${maxAddresses} ${called[list]}`)
    }
  }

  /** The first reason counts: the rest was not read. */
  leaveOut(what: string): void {
    this.cut ??= what
  }
}
