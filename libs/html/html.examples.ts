/** Fixtures of the tests: a page, and a simple reference resolver of its links. */
import type { PageFacts } from './page-facts.ts'
import { type Resolve, readPage } from './read-page.ts'

export const createResolver =
  (base: string): Resolve =>
  href => {
    const url = URL.parse(href, base)
    if (url === null || !url.protocol.startsWith('http')) return null
    return Buffer.from(url.href.replace(/#.*$/s, '')).toString()
  }

const pageUrl = 'https://example.com/dir/page'
export const resolve = createResolver(pageUrl)

/** Reads a page in one call. */
export function read(html: string, url = pageUrl): PageFacts {
  const steps = readPage(html, { url, resolve, createResolver })
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

export const document = (body: string, head = '') =>
  `<html><head><title>T</title>${head}</head><body>${body}</body></html>`
