/** Maximum numbers of redirects in a row. Every fetch of the same kind follows the same number. */

/** For a page. */
export const maxPageRedirects = 10

/** For robots.txt (RFC 9309, 2.3.1.2), sitemaps and other files of a site. */
export const maxFileRedirects = 5
