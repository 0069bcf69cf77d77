/** Makes content of a page that an earlier scan of the project stored. */
import type { ScanContent, Scans } from '@tidemark/content/scans/scans'
import type { ReadScan } from '@tidemark/contracts/rpc/content'
import { urlKey } from '@tidemark/url/key'
import { normalForm } from '@tidemark/url/normal-form'
import type { ContentThread } from '../adapters/content-thread.ts'
import type { SiteFacts } from '../adapters/scan-recorder.ts'
import { nameOfMeans } from '../domain/scan-means.ts'
import { decodedOrRefused } from './fetch-refusal.ts'
import type { ScanResult } from './scan-page.ts'

type Ports = {
  scans: Pick<Scans, 'read'>
  thread: Pick<ContentThread, 'make'>
  maxDecodedBytes: number
  report: (error: unknown) => void
}

/** Returns null if there is no such page, and if the store is unavailable, because the page can be fetched instead. */
export function readScan({ scans, thread, maxDecodedBytes, report }: Ports) {
  return async (request: ReadScan): Promise<ScanResult | null> => {
    const { projectId, wanted, newerThan } = request
    const normal = normalForm(request.url)
    if (normal === null) return null
    const key = { projectId, urlKey: urlKey(normal), means: nameOfMeans(request) }
    const stored = await scans.read(key, new Date(newerThan)).catch(error => {
      report(error)
      return null
    })
    if (stored === null) return null
    const { url, status, contentType, fetchedAt } = stored
    const body = decodedOrRefused(stored.body.body, stored.body.encodings, maxDecodedBytes)
    const headers = JSON.parse(stored.headers)
    const made = { url, status, contentType, headers, body, wanted }
    const { json } = await thread.make(made, `project ${projectId}`)
    return {
      page: { url, status, fetchedAt: fetchedAt.toISOString(), ...siteOf(stored, maxDecodedBytes) },
      content: json,
    }
  }
}

function siteOf({ site }: ScanContent, maxBytes: number): SiteFacts {
  if (site === null) return { aiBotPolicy: null, llmsTxt: null, llmsFullTxt: null }
  return JSON.parse(decodedOrRefused(site.body, site.encodings, maxBytes).toString())
}
