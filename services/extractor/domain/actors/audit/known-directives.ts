/** Directives of robots meta elements and X-Robots-Tag that search engines and AI bots document. */

const plain = new Set(
  (
    'all index follow noindex nofollow none noarchive nocache nosnippet indexifembedded noindexifembedded ' +
    'notranslate noimageindex noodp noydir noyaca unavailable_after nositelinkssearchbox noai noimageai ' +
    'nopagereadaloud noimageclick noml archive snippet translate imageindex odp'
  ).split(' '),
)
const valued = /^(?:max-snippet|max-image-preview|max-video-preview|unavailable_after)\s*[:=]\s*\S/

/** The known directives for readers. */
export const directivesKnown = `${[...plain].join(', ')}, max-snippet:…, max-image-preview:…, max-video-preview:…`

export const isKnownDirective = (rule: string): boolean => plain.has(rule) || valued.test(rule)
