/** Limits of a sitemap (sitemaps.org: 50,000 addresses and 50 MB), and the size of one step. */

export const maxAddresses = 50_000

/** Maximum characters of the decoded text. */
export const maxCharacters = 50 * 1024 ** 2

/** Maximum characters of an address. Longer texts are skipped. */
export const maxAddressLength = 8192

/** Maximum characters of a date. One with time, fraction and time zone has fewer than 40. */
export const maxDateLength = 64

/** Characters per step: less than ten milliseconds of work. */
export const stepCharacters = 256 * 1024
