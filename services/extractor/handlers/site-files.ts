/**
 * One of a site's texts for crawlers: as it is remembered, or fetched, by one request at a time for all who ask. Whoever
 * asked first and left, or had little time, leaves the others no worse: one of them asks again.
 */
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SiteFile } from '@tidemark/contracts/site-file'
import { FetchError } from '@tidemark/http/fetch-error'
import { decodeStart } from '../adapters/decode-start.ts'
import type { Failed, FetchPage } from '../adapters/fetch-now.ts'
import type { SiteFileCache } from '../adapters/site-file-cache.ts'
import { failedFile, type SiteFileName, siteFileOf, siteFiles } from '../domain/site-file.ts'

export type Wanted = {
  /** For the way there and back, its turn at the host included. */
  timeoutMs: number
  /** As in `FetchNow`. Without them it is a work of its own, and keeps the least distance to others. */
  workId?: number | undefined
  delayMs?: number | undefined
}

/** @param origin without a slash at the end */
export type ReadSiteFile = (origin: string, name: SiteFileName, wanted: Wanted) => Promise<SiteFile>

type Ports = { fetchPage: FetchPage; cache: SiteFileCache }
/** `workId`: of whoever asked. */
type UnderWay = { file: Promise<SiteFile>; workId: number | undefined }

/** RFC 9309, 2.3.1.2 */
const maxHops = 5
/** With less time than this left nothing is asked again, in milliseconds. */
const leastMs = 500

export function createSiteFiles({ fetchPage, cache }: Ports): ReadSiteFile {
  const underWay = new Map<string, UnderWay>()

  return async (origin, name, wanted) => {
    const url = origin + siteFiles[name].path
    const endsAt = performance.now() + wanted.timeoutMs
    for (let { timeoutMs } = wanted; ; ) {
      const known = underWay.get(url)
      if (known === undefined) return begin(url, name, { ...wanted, timeoutMs })
      const file = await inTime(known.file, timeoutMs)
      timeoutMs = Math.floor(endsAt - performance.now())
      if (timeoutMs < leastMs || !isOthersAffair(file, known, wanted)) return file
    }
  }

  function begin(url: string, name: SiteFileName, wanted: Wanted): Promise<SiteFile> {
    const file = readThrough(url, name, wanted).finally(() => underWay.delete(url))
    underWay.set(url, { file, workId: wanted.workId })
    return file
  }

  async function readThrough(url: string, name: SiteFileName, wanted: Wanted): Promise<SiteFile> {
    const remembered = await cache.find(url)
    if (remembered !== null) return remembered
    const file = await fetchFile(url, name, wanted)
    await cache.keep(url, file)
    return file
  }

  async function fetchFile(url: string, name: SiteFileName, wanted: Wanted): Promise<SiteFile> {
    const { timeoutMs, workId = -randomInt(1, 2 ** 47), delayMs } = wanted
    const fetchedAt = new Date().toISOString()
    const { most } = siteFiles[name]
    const limits = { timeoutMs, maxHops, maxBytes: most + 1, cuts: true }
    const pace = delayMs === undefined ? {} : { delayMs }
    const answer = await fetchPage({ workId, url, ...limits, ...pace })
    if (answer.is === 'failed') return failedFile(fetchedAt, ...whyOf(answer))
    try {
      const decoded = await decodeStart(answer.body, answer.encodings, most + 1)
      return siteFileOf(name, fetchedAt, { ...answer, ...decoded })
    } catch (thrown) {
      const { code, message } = FetchError.from(thrown)
      return failedFile(fetchedAt, code, message)
    }
  }
}

/** What is wrong where its redirects lead is nothing that is wrong with the site itself. */
const whyOf = ({ reason, message, hops }: Failed): [reason: string, message: string] =>
  hops.length === 0 || reason === 'timeout' || reason === 'aborted'
    ? [reason, message]
    : ['protocol', `It redirects to where it cannot be had: ${message}`]

/** Whether it failed for what only whoever asked had done: dropped his work, or had too little time. */
function isOthersAffair({ error }: SiteFile, { workId }: UnderWay, wanted: Wanted): boolean {
  if (error?.reason === 'timeout') return true
  return error?.reason === 'aborted' && (workId === undefined || workId !== wanted.workId)
}

/** Nobody waits longer than he wants to, however long whoever asked first may wait. */
async function inTime(reading: Promise<SiteFile>, timeoutMs: number): Promise<SiteFile> {
  const waited = new AbortController()
  const tooLate = sleep(timeoutMs, undefined, { signal: waited.signal }).then(() =>
    failedFile(new Date().toISOString(), 'timeout', new FetchError('timeout').message),
  )
  try {
    return await Promise.race([reading, tooLate])
  } finally {
    tooLate.catch(() => {})
    waited.abort()
  }
}
