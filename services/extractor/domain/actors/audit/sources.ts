/** Sources of the audit's rules, by name and URL. */
import type { Source } from './rule.ts'

export const google = (name: string, path: string): Source => ({
  name: `Google Search Central: ${name}`,
  url: `https://developers.google.com/search/docs/${path}`,
})

/** @param criterion number and name of a success criterion, or only a name */
export const wcag = (criterion: string, slug: string): Source => ({
  name: `WCAG 2.2, ${criterion}`,
  url: `https://www.w3.org/WAI/WCAG22/Understanding/${slug}`,
})

export const html = (name: string, page: string): Source => ({
  name: `HTML standard: ${name}`,
  url: `https://html.spec.whatwg.org/multipage/${page}`,
})

export const rfc = (number: number, section: string, name: string): Source => ({
  name: `RFC ${number}, ${section}: ${name}`,
  url: `https://www.rfc-editor.org/rfc/rfc${number}#section-${section}`,
})

export const w3c = (name: string, path: string): Source => ({
  name: `W3C: ${name}`,
  url: `https://www.w3.org/${path}`,
})

export const webDev = (name: string, path: string): Source => ({
  name: `web.dev: ${name}`,
  url: `https://web.dev/articles/${path}`,
})

export const mdn = (name: string, path: string): Source => ({
  name: `MDN: ${name}`,
  url: `https://developer.mozilla.org/en-US/docs/Web/${path}`,
})

export const lighthouse = (name: string, path: string): Source => ({
  name: `Lighthouse: ${name}`,
  url: `https://developer.chrome.com/docs/lighthouse/${path}`,
})

export const openGraph: Source = { name: 'Open Graph protocol', url: 'https://ogp.me/' }

export const twitterCards: Source = {
  name: 'X: Cards markup',
  url: 'https://developer.x.com/en/docs/x-for-websites/cards/overview/markup',
}

export const schemaOrg = (type: string): Source => ({
  name: `schema.org: ${type}`,
  url: `https://schema.org/${type}`,
})

export const llmsTxt: Source = { name: 'llms.txt, the proposed format', url: 'https://llmstxt.org/' }
