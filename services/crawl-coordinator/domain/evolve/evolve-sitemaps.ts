/** Applies the events about sitemaps to a run. */

import { isFault } from '@tidemark/sitemap/faults'
import type { Running, SeedFailure, Sitemap } from '../run.ts'
import { ordersSent, outcomeReceived } from '../silence.ts'
import type { Changes } from './changes.ts'

export const sitemapChanges: Changes = {
  SitemapOrdered: (run, { key, url, depth, attempt, again }, at) => {
    ordersSent(run, at, again)
    run.sitemaps.set(key, { url, depth, attempt, state: 'ordered', ...ofReopenings(run.sitemaps.get(key)) })
  },
  SitemapRead: (run, { key, urls, sitemaps, cut, mayMoveTo }, at) => {
    outcomeReceived(run, at)
    const read = run.sitemaps.get(key)
    if (!read) return
    const { url, depth, attempt } = read
    const faulty = isFault(cut) && { isFaulty: true as const }
    run.sitemaps.set(key, { url, depth, attempt, state: 'read', isCut: cut !== null, ...faulty })
    run.linkParts.delete(key)
    for (const [child, url] of sitemaps) {
      if (run.sitemaps.has(child)) continue
      run.sitemaps.set(child, { url, depth: read.depth + 1, attempt: 1, state: 'named' })
    }
    if (mayMoveTo !== undefined) run.mayMoveTo = mayMoveTo
    else if (urls > 0) run.mayMoveTo = null
    if (read.depth === 0 && urls === 0 && sitemaps.length === 0)
      run.seedFailure = { reason: 'empty_sitemap', because: isFault(cut) ? null : cut }
  },
  SitemapFailed: (run, { key, reason }, at) => {
    outcomeReceived(run, at)
    change(run, key, sitemap => ({ ...sitemap, state: 'failed' }))
    if (run.sitemaps.get(key)?.depth === 0) run.seedFailure = failureOf(reason)
  },
  SitemapRetried: (run, { key, attempt, notBefore }, at) => {
    outcomeReceived(run, at)
    change(run, key, sitemap => ({
      ...sitemap,
      attempt,
      state: 'waiting',
      notBefore: Date.parse(notBefore),
    }))
  },
}

/** Returns the failure of the seed. A reason that is not a code of the fetcher is a sentence. */
const failureOf = (reason: string): SeedFailure =>
  /^\w+$/.test(reason) ? { reason } : { reason: 'sitemap', because: reason }

type Named = Pick<Sitemap, 'url' | 'depth' | 'attempt' | 'isRetried' | 'unused'>

function change(run: Running, key: string, to: (sitemap: Named) => Sitemap): void {
  const known = run.sitemaps.get(key)
  if (!known) return
  const { url, depth, attempt } = known
  run.sitemaps.set(key, to({ url, depth, attempt, ...ofReopenings(known) }))
}

/** Returns the fields of a sitemap that the reopenings of the run have set. */
const ofReopenings = ({ isRetried, unused }: Partial<Named> = {}): Pick<Named, 'isRetried' | 'unused'> => ({
  ...(isRetried && { isRetried }),
  ...(unused !== undefined && { unused }),
})
