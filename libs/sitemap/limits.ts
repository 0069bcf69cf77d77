/** How much of a sitemap is read (sitemaps.org: 50,000 addresses and 50 MB), and in what portions. */

export const maxAddresses = 50_000

/** Of the decoded text. */
export const maxCharacters = 50 * 1024 ** 2

/** Nothing longer is an address. */
export const maxAddressLength = 8192

/** A date with time, fraction and zone has less than 40 characters. */
export const longestDate = 64

/** Characters read at a time: less than ten milliseconds of work. */
export const stepCharacters = 256 * 1024
