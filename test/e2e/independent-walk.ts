/**
 * An independent way to find every page of a site: no parser and no code of ours, and one request at a time. The pages
 * of a crawl are compared with it.
 */
import { withoutEntities } from './without-entities.ts'

/** Returns the status of every URL of the same host that can be reached from the start. */
export async function walk(start: string): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  const queue = [start]
  const seen = new Set(queue)
  for (let url = queue.shift(); url !== undefined; url = queue.shift()) {
    const response = await fetch(url)
    const body = await response.text()
    found.set(response.url, response.status)
    if (!response.headers.get('content-type')?.includes('html')) continue
    for (const link of linksOf(body, response.url)) {
      if (seen.has(link) || new URL(link).host !== new URL(start).host) continue
      seen.add(link)
      queue.push(link)
    }
  }
  return found
}

function linksOf(html: string, base: string): string[] {
  const visible = html
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/<(script|style|textarea|title)\b[\s\S]*?<\/\1\s*>/gi, '')
  const anchors = visible.matchAll(/<(?:a|area)\s[^>]*?\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/gi)
  return [...anchors].flatMap(([, double, single, bare]) =>
    resolve(withoutEntities(double ?? single ?? bare ?? ''), base),
  )
}

function resolve(href: string, base: string): string[] {
  if (!URL.canParse(href, base)) return []
  const url = new URL(href, base)
  url.hash = ''
  return url.protocol.startsWith('http') ? [url.href] : []
}
