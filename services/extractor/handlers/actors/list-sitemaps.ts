/** Lists the sitemaps in a site's robots.txt. */
import type { ListedSitemaps, ListSitemaps } from '@tidemark/contracts/rpc/sitemaps'
import { parseRobots } from '@tidemark/robots/parse'
import { normalForm } from '@tidemark/url/normal-form'
import { statusOrRefused } from '../fetch-refusal.ts'
import type { ReadSiteFile } from '../site-files.ts'

/** Maximum number of sitemaps. */
const maxNamed = 1_000

/** The handler throws a `Refusal` for a site that does not respond. */
export function listSitemaps({ readSiteFile }: { readSiteFile: ReadSiteFile }) {
  return async ({ url, ...work }: ListSitemaps): Promise<ListedSitemaps> => {
    const { origin } = new URL(url)
    const robots = await readSiteFile(origin, 'robots', work)
    const status = statusOrRefused(robots)
    const { sitemaps } = parseRobots(robots.text ?? '')
    const named = new Set(sitemaps.flatMap(href => normalForm(href, origin) ?? []))
    return { status, named: [...named].slice(0, maxNamed) }
  }
}
