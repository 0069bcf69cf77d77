/**
 * A site's text for crawlers, from the cache or by one request that all concurrent callers share. If the first caller
 * leaves or has little time, one of the others requests again.
 */
import { randomInt } from 'node:crypto'
import type { ClientRequestSettings } from '@tidemark/contracts/rpc/fetch'
import type { SiteFile } from '@tidemark/contracts/site-file'
import { maxFileRedirects } from '@tidemark/contracts/work/redirects'
import { FetchError } from '@tidemark/http/fetch-error'
import { decodeStart } from '../adapters/decode-start.ts'
import type { Failed, FetchPage } from '../adapters/fetch-now.ts'
import type { SiteFileCache } from '../adapters/site-file-cache.ts'
import { failedFile, type SiteFileName, siteFileOf, siteFiles } from '../domain/site-file.ts'

export type Wanted = {
  /** Time for the RPC, including the wait for a host slot. */
  timeoutMs: number
  /** As in `FetchNow`. Without these fields the request is separate work with the default delay. */
  workId?: number | undefined
  runId?: number | undefined
  projectId?: number | undefined
  delayMs?: number | undefined
  /** The file is requested with these fields of a run, and is not shared. */
  asRun?: ClientRequestSettings | undefined
}

/** @param origin without a trailing slash */
export type ReadSiteFile = (origin: string, name: SiteFileName, wanted: Wanted) => Promise<SiteFile>

type Ports = { fetchPage: FetchPage; cache: SiteFileCache }
/** A shared request, with the work of its first caller. */
type UnderWay = { file: Promise<SiteFile>; workId: number | undefined }

/** Minimum time for a retry, in milliseconds. */
const minMs = 500

export function createSiteFiles({ fetchPage, cache }: Ports): ReadSiteFile {
  const underWay = new Map<string, UnderWay>()

  return async (origin, name, wanted) => {
    const url = origin + siteFiles[name].path
    if (wanted.asRun) return fetchFile(url, name, wanted)
    const endsAt = performance.now() + wanted.timeoutMs
    for (let { timeoutMs } = wanted; ; ) {
      const known = underWay.get(url)
      if (known === undefined) return begin(url, name, { ...wanted, timeoutMs })
      const file = await inTime(known.file, timeoutMs)
      timeoutMs = Math.floor(endsAt - performance.now())
      if (timeoutMs < minMs || !failedForFirstCaller(file, known, wanted)) return file
    }
  }

  function begin(url: string, name: SiteFileName, wanted: Wanted): Promise<SiteFile> {
    const file = readThrough(url, name, wanted).finally(() => underWay.delete(url))
    underWay.set(url, { file, workId: wanted.workId })
    return file
  }

  async function readThrough(url: string, name: SiteFileName, wanted: Wanted): Promise<SiteFile> {
    const cached = await cache.find(url)
    if (cached !== null) return cached
    const file = await fetchFile(url, name, wanted)
    await cache.keep(url, file)
    return file
  }

  async function fetchFile(url: string, name: SiteFileName, wanted: Wanted): Promise<SiteFile> {
    const { timeoutMs, workId = -randomInt(1, 2 ** 47), runId, projectId, delayMs, asRun } = wanted
    const fetchedAt = new Date().toISOString()
    const { maxBytes } = siteFiles[name]
    const limits = { timeoutMs, maxHops: maxFileRedirects, maxBytes: maxBytes + 1, cuts: true }
    const load = {
      ...(runId !== undefined && { runId }),
      ...(projectId !== undefined && { projectId }),
      ...(delayMs !== undefined && { delayMs }),
    }
    const answer = await fetchPage({ workId, url, ...limits, ...load, ...(asRun && { asRun }) })
    if (answer.is === 'failed') return failedFile(fetchedAt, ...whyOf(answer))
    try {
      const decoded = await decodeStart(answer.body, answer.encodings, maxBytes + 1)
      return siteFileOf(name, fetchedAt, { ...answer, ...decoded })
    } catch (thrown) {
      const { code, message } = FetchError.from(thrown)
      return failedFile(fetchedAt, code, message)
    }
  }
}

/** A failure of the redirect target is not a failure of the site itself. */
const whyOf = ({ reason, message, hops }: Failed): [reason: string, message: string] =>
  hops.length === 0 || reason === 'timeout' || reason === 'aborted'
    ? [reason, message]
    : ['protocol', `It redirects to a URL that cannot be fetched: ${message}`]

/** Returns whether the file failed because of its first caller, whose work was abandoned or had too little time. */
function failedForFirstCaller({ error }: SiteFile, { workId }: UnderWay, wanted: Wanted): boolean {
  if (error?.reason === 'timeout') return true
  return error?.reason === 'aborted' && (workId === undefined || workId !== wanted.workId)
}

/** Returns the file, or a timeout after the caller's own time: the first caller may wait longer. */
async function inTime(reading: Promise<SiteFile>, timeoutMs: number): Promise<SiteFile> {
  const { promise: tooLate, resolve } = Promise.withResolvers<SiteFile>()
  const timer = setTimeout(() => {
    resolve(failedFile(new Date().toISOString(), 'timeout', new FetchError('timeout').message))
  }, timeoutMs)
  try {
    return await Promise.race([reading, tooLate])
  } finally {
    clearTimeout(timer)
  }
}
