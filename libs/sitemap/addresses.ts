/** Collects the addresses of a sitemap, up to the limits of the protocol, and records why it left some out. */
import { maxAddresses, maxAddressLength, maxDateLength } from './limits.ts'

export type List = 'urls' | 'sitemaps'

const nouns: Record<List, string> = { urls: 'addresses', sitemaps: 'sitemaps' }

/** Numbers of the images, videos and versions in other languages that a sitemap lists for its pages. */
export type Extras = { images: number; videos: number; alternates: number }

export class Addresses {
  readonly urls: string[] = []
  readonly sitemaps: string[] = []
  /** Dates of change: `dates[n]` belongs to `urls[n]`, and is undefined if the sitemap has no date for it. */
  readonly dates: string[] = []
  readonly extras: Extras = { images: 0, videos: 0, alternates: 0 }
  /** Describes the part that was left out. null if everything was read. */
  cut: string | null = null
  /** Whether the text ends before its first element is closed. */
  isBrokenOff = false

  /** Whether a list is full and more was found, so that the rest of the sitemap can be skipped. */
  get isFull(): boolean {
    return this.#full
  }
  #full = false

  /** Adds an address. Empty and overlong addresses are ignored. */
  add(list: List, text: string, date = ''): void {
    const address = text.trim()
    if (address === '' || address.length > maxAddressLength || this.#full) return
    if (this[list].length < maxAddresses) {
      if (list === 'urls' && date !== '') this.dates[this.urls.length] = date.slice(0, maxDateLength)
      this[list].push(address)
    } else {
      this.#full = true
      this.leaveOut(`more than ${maxAddresses} ${nouns[list]}`)
    }
  }

  /** Records why the rest was not read. Only the first reason is kept. */
  leaveOut(reason: string): void {
    this.cut ??= reason
  }
}
