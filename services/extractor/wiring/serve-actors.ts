/** Part of the wiring: RPCs of the actors. */

import { inShares } from '@tidemark/bus/at-most'
import { serve } from '@tidemark/bus/rpc'
import type { PageRead, ReadPageAs } from '@tidemark/contracts/rpc/actors'
import * as actorsRpc from '@tidemark/contracts/rpc/actors'
import * as checkLinkRpc from '@tidemark/contracts/rpc/check-link'
import { type AuditPorts, auditPage } from '../handlers/actors/audit-page.ts'
import { checkLink } from '../handlers/actors/check-link.ts'
import { fetchAndSee } from '../handlers/actors/fetch-and-see.ts'
import { renderDiff } from '../handlers/actors/render-diff.ts'
import type { ExtractorParts } from './parts.ts'
import { serveLinkGraphs } from './serve-link-graphs.ts'
import { serveSiteAudits } from './serve-site-audits.ts'
import { serveSitemaps } from './serve-sitemaps.ts'

type Parts = Pick<
  ExtractorParts,
  | 'settings'
  | 'bus'
  | 'db'
  | 'store'
  | 'fetchPage'
  | 'readSiteFile'
  | 'sitePolicy'
  | 'thread'
  | 'signal'
  | 'report'
>

/** Maximum concurrent requests for pages. Each holds a page, and most of them wait. */
const pagesAtOnce = 128
/** Maximum concurrent checks of links. Few of them hold a page. */
const linksAtOnce = 512

/** Resolves when the signal has aborted and all pending requests are answered. */
export async function serveActors({
  settings,
  bus,
  db,
  store,
  signal,
  report,
  ...parts
}: Parts): Promise<void> {
  const { MAX_DECODED_BYTES: maxDecodedBytes, ROBOTS_TOKEN: robotsToken } = settings
  const serving = { signal, report }
  const pages = { ...parts, maxBytes: maxDecodedBytes, maxDecodedBytes }
  const readPage = inShares(pagesAtOnce, readPageAs(pages))
  const check = inShares(linksAtOnce, checkLink({ ...parts, robotsToken }))
  const compareRendered = inShares(pagesAtOnce, renderDiff(pages))
  await Promise.all([
    serveSitemaps({ ...parts, bus, ...serving }),
    serveLinkGraphs({ db, robotsToken, bus, ...serving }),
    serveSiteAudits({ settings, bus, store, ...serving }),
    serve(bus, actorsRpc.readPageAs, readPage, serving),
    serve(bus, checkLinkRpc.checkLink, check, serving),
    serve(bus, actorsRpc.renderDiff, compareRendered, serving),
  ])
}

/**
 * Fetches one page by the plain backend for an actor, and reads it in the actor's way. Throws the `Refusal` of
 * `fetchAndSee`.
 */
function readPageAs(ports: AuditPorts) {
  return async ({ reading, ...request }: ReadPageAs): Promise<PageRead> => {
    const { costUsd: _, ...read } =
      reading.as === 'audit'
        ? await auditPage(ports, request)
        : await fetchAndSee(ports, { ...request, readingOf: () => reading })
    return read
  }
}
