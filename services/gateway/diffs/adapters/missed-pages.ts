/**
 * Finds out why a run does not have certain pages of another run: by its decisions about their URLs, and without a decision
 * by whether the run could have found them. Only pages that differ are checked, which are few.
 */
import { setImmediate as breathe } from 'node:timers/promises'
import { openLinks } from '@tidemark/content/links'
import type { OfProject } from '@tidemark/db/of-project'
import { urlKey } from '@tidemark/url/key'
import { addRedirects } from '../../read-model/adapters/redirect-reads.ts'
import { PagesByUrl } from '../../read-model/domain/pages-by-url.ts'
import { deferredCauses, marks } from '../../read-model/domain/without-page.ts'
import { hiddenBehind, missedBy, type OtherRun, unknownCause } from '../domain/not-fetched.ts'
import { pageNames, selectLatestCauses, selectRunResult } from './diff-statement.ts'
import { redirectEnds } from './redirect-ends.ts'

export type Missing = {
  projectId: number
  /** The run with the pages. */
  runId: number
  /** The run without the pages. */
  missedBy: number
  ids: readonly number[]
  /** Pages of the run whose links the other one could not read, although it fetched them. */
  unread: readonly number[]
  /** Aborts when the client no longer waits. Causes that are unknown by then stay unknown. */
  signal?: AbortSignal | undefined
}

/** Causes by page id. */
type Causes = Map<number, string>

type Name = { id: number; url_key: string; requested_url: string | null }

/** Maximum number of pages whose links are read. Beyond it the cause stays unknown. */
const maxRead = 5_000
const linksAtOnce = 50
/** Maximum milliseconds without a pause, so that no other request waits. */
const pauseAfterMs = 10

/**
 * Returns a function that returns, by page id, why the other run may have missed a page. Pages that it did not miss are
 * absent.
 */
export function openMissedPages(reads: OfProject) {
  return async (missing: Missing): Promise<Causes> => {
    const { projectId, runId, ids } = missing
    if (ids.length === 0) return new Map()
    const { rows } = await reads(projectId).query<{ id: number; cause: string }>(selectLatestCauses, [
      projectId,
      runId,
      missing.missedBy,
      ids,
      deferredCauses,
    ])
    const causes = new Map(rows.map(({ id, cause }) => [id, cause]))
    const others = ids.filter(id => !causes.has(id))
    const ofRun = missedBy(await otherRunOf(missing))
    await followRedirects(reads, missing, causes, ofRun ?? unknownCause)
    const unread = [...missing.unread, ...causes.keys()]
    const left =
      others.length === 0 ? new Map() : (ofRun ?? (await unknownOf(reads, missing, others, unread)))
    for (const id of others) {
      const cause = left instanceof Map ? left.get(id) : left
      if (cause !== undefined) causes.set(id, cause)
    }
    return causes
  }

  async function otherRunOf({ projectId, runId, missedBy }: Missing): Promise<OtherRun> {
    const { rows } = await reads(projectId).query<OtherRun>(selectRunResult, [projectId, missedBy, runId])
    return (
      rows[0] ?? {
        status: 'running',
        stopReason: null,
        isFrontierFull: false,
        lacksSitemap: false,
        leavesSitemap: false,
      }
    )
  }
}

/** Replaces the cause of pages that redirected by the cause of the end, or removes it if the other run has the end. */
async function followRedirects(
  reads: OfProject,
  missing: Missing,
  causes: Causes,
  otherwise: string,
): Promise<void> {
  const { projectId, missedBy: runId, signal } = missing
  const redirected = [...causes].flatMap(([id, cause]) => (cause === marks.redirected ? [id] : []))
  if (redirected.length === 0) return
  const names = await namesOf(reads, projectId, redirected)
  const keys = names.map(({ url_key }) => url_key)
  const ends = await redirectEnds(reads, { projectId, runId, keys, otherwise, signal })
  for (const { id, url_key } of names) {
    const cause = ends.get(url_key) ?? null
    if (cause === null) causes.delete(id)
    else causes.set(id, cause)
  }
}

/**
 * Returns the pages that unread pages may link to, or one cause for all pages if links were not stored or are too many.
 */
async function unknownOf(
  reads: OfProject,
  missing: Missing,
  others: number[],
  unread: number[],
): Promise<Causes | string> {
  if (unread.length === 0) return new Map()
  const { projectId, runId, signal } = missing
  const links = openLinks(reads(projectId))
  if (unread.length > maxRead || !(await links.keepsBodies(runId))) return unknownCause
  const ids = new Map<string, number>()
  const pages = new PagesByUrl<string>()
  for (const { id, url_key, requested_url } of await namesOf(reads, projectId, others)) {
    ids.set(url_key, id)
    pages.add(url_key, url_key)
    if (requested_url !== null) pages.alias(urlKey(requested_url), url_key)
  }
  if (!(await hasAdded(addRedirects(reads, { projectId, runId }, pages, signal), signal))) return unknownCause
  const targets = linkedKeys(pages => links.read(runId, pages), signal)
  async function* linkedFrom(keys: readonly string[]) {
    for await (const key of targets(keys)) yield pages.find(key) ?? key
  }
  const from = (await namesOf(reads, projectId, unread)).map(({ url_key }) => url_key)
  const hidden = await hiddenBehind(from, new Set(ids.keys()), linkedFrom, maxRead)
  if (hidden === null || signal?.aborted) return unknownCause
  return new Map([...hidden].map(key => [ids.get(key) ?? 0, unknownCause]))
}

async function namesOf(reads: OfProject, projectId: number, ids: number[]): Promise<Name[]> {
  const { rows } = await reads(projectId).query<Name>(pageNames, [projectId, ids])
  return rows
}

/** Resolves with true after the work, or with false if the work fails after the signal has aborted. */
async function hasAdded(work: Promise<void>, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if (signal?.aborted) return false
    throw error
  }
}

type ReadLinks = (pages: { urlKey: string; url: string }[]) => Promise<Iterable<{ href: string }[]>>

/** Returns the keys of the links of pages. Pauses, so that no other request waits, and ends when the signal aborts. */
const linkedKeys = (read: ReadLinks, signal: AbortSignal | undefined) => {
  let since = performance.now()
  return async function* (keys: readonly string[]): AsyncGenerator<string> {
    for (let at = 0; at < keys.length && !signal?.aborted; at += linksAtOnce) {
      const pages = keys.slice(at, at + linksAtOnce).map(urlKey => ({ urlKey, url: '' }))
      for (const edges of await read(pages)) {
        for (const { href } of edges) {
          yield urlKey(href)
          if (performance.now() - since < pauseAfterMs) continue
          await breathe()
          since = performance.now()
        }
      }
    }
  }
}
