/** Limits of a sitemap (sitemaps.org: 50,000 addresses and 50 MB), and the size of one step. */

export const maxAddresses = 50_000

/** Counted in the decoded text. */
export const maxCharacters = 50 * 1024 ** 2

/** Longer texts are not addresses. */
export const maxAddressLength = 8192

/** A date with time, fraction and time zone has fewer than 40 characters. */
export const maxDateLength = 64

/** Characters per step: less than ten milliseconds of work. */
export const stepCharacters = 256 * 1024
