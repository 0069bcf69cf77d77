/** Sources of the audit's rules, by name and URL. */
import type { Source } from './rule.ts'

const pagesOf =
  (publisher: string, base: string) =>
  (name: string, path: string): Source => ({ name: `${publisher}${name}`, url: `${base}${path}` })

export const google = pagesOf('Google Search Central: ', 'https://developers.google.com/search/docs/')
/** The name is the number and the name of a success criterion, or only a name. */
export const wcag = pagesOf('WCAG 2.2, ', 'https://www.w3.org/WAI/WCAG22/Understanding/')
export const html = pagesOf('HTML standard: ', 'https://html.spec.whatwg.org/multipage/')
export const w3c = pagesOf('W3C: ', 'https://www.w3.org/')
export const webDev = pagesOf('web.dev: ', 'https://web.dev/articles/')
export const mdn = pagesOf('MDN: ', 'https://developer.mozilla.org/en-US/docs/Web/')
export const lighthouse = pagesOf('Lighthouse: ', 'https://developer.chrome.com/docs/lighthouse/')
export const schemaOrg = (type: string): Source => pagesOf('schema.org: ', 'https://schema.org/')(type, type)

export const rfc = (number: number, section: string, name: string): Source => ({
  name: `RFC ${number}, ${section}: ${name}`,
  url: `https://www.rfc-editor.org/rfc/rfc${number}#section-${section}`,
})

export const openGraph: Source = { name: 'Open Graph protocol', url: 'https://ogp.me/' }

export const twitterCards: Source = {
  name: 'X: Cards markup',
  url: 'https://developer.x.com/en/docs/x-for-websites/cards/overview/markup',
}

export const llmsTxt: Source = { name: 'llms.txt, the proposed format', url: 'https://llmstxt.org/' }
