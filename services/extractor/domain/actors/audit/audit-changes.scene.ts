/** Changes of the clean page for the tests of rules. */
import { clean, type Example } from './audit.examples.ts'
import type { AuditContext, AuditedSite } from './context.ts'

type Change = (page: Example) => Example
/** `also`: other rules that the same fault violates. */
export type Pair = { change: Change; also?: readonly string[] }

/** Replaces a text, which must be present. */
export const swap =
  (...pairs: [from: string | RegExp, to: string][]): Change =>
  page => {
    let { html } = page
    for (const [from, to] of pairs) {
      const swapped = html.replace(from, () => to)
      if (swapped === html) throw new Error(`${from} is not in the clean page`)
      html = swapped
    }
    return { ...page, html }
  }

export const both =
  (...changes: Change[]): Change =>
  page =>
    changes.reduce((changed, change) => change(changed), page)
/** `add` inserts HTML at the end of the content, and `addToHead` at the end of the head. */
export const add = (html: string): Change => swap(['</main>', `${html}</main>`])
export const addToHead = (html: string): Change => swap(['</head>', `${html}</head>`])
export const headers =
  (changed: Record<string, string | null>): Change =>
  page => {
    const all = Object.entries({ ...page.headers, ...changed })
    return {
      ...page,
      headers: Object.fromEntries(all.filter(([, value]) => value !== null)) as Example['headers'],
    }
  }
export const context =
  (changed: Partial<AuditContext>): Change =>
  page => ({ ...page, context: { ...page.context, ...changed } })
export const site = (changed: Partial<AuditedSite>): Change =>
  context({ site: { ...(clean.context.site as AuditedSite), ...changed } })
/** Returns the page with another URL, which it states everywhere. */
export const at =
  (url: string): Change =>
  page => ({ ...page, url, html: page.html.replaceAll(clean.url, url.replaceAll('&', '&amp;')) })
export const jsonLd = (value: object): Change =>
  addToHead(
    `<script type="application/ld+json">${JSON.stringify({ '@context': 'https://schema.org', ...value })}</script>`,
  )
export const title = (text: string): Change => swap([/<title>.*<\/title>/, `<title>${text}</title>`])
export const description = (text: string): Change =>
  swap([/<meta name="description".*?>/, `<meta name="description" content="${text}">`])
export const canonical = (href: string): Change =>
  swap([/<link rel="canonical".*?>/, `<link rel="canonical" href="${href}">`])
export const robots = (content: string): Change =>
  swap([/<meta name="robots".*?>/, `<meta name="robots" content="${content}">`])
export const body = (html: string): Change =>
  swap([/<main[\s\S]*<\/main>/, `<main><h1>Tides</h1>${html}</main>`])
export const words = (count: number): string =>
  'The tide comes in and goes out again. '.repeat(Math.ceil(count / 8))
export const own = '/tides/other'
