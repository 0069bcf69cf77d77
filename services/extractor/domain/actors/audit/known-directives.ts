/** What robots meta elements and X-Robots-Tag may say, as search engines and AI bots document it. */

const plain = new Set(
  (
    'all index follow noindex nofollow none noarchive nocache nosnippet indexifembedded noindexifembedded ' +
    'notranslate noimageindex noodp noydir noyaca unavailable_after nositelinkssearchbox noai noimageai ' +
    'nopagereadaloud noimageclick noml archive snippet translate imageindex odp'
  ).split(' '),
)
const valued = /^(?:max-snippet|max-image-preview|max-video-preview|unavailable_after)\s*[:=]\s*\S/

/** For people to read. */
export const directivesKnown = [...plain, 'max-snippet:…', 'max-image-preview:…', 'max-video-preview:…'].join(
  ', ',
)

export const isKnownDirective = (rule: string): boolean => plain.has(rule) || valued.test(rule)
