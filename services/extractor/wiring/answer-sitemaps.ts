/** Part of the wiring: what the extractor is asked for by the audit of sitemaps. */
import { answer } from '@tidemark/bus/ask'
import { atMost } from '@tidemark/bus/at-most'
import { jsonParser } from '@tidemark/bus/codec'
import { encodeCompact } from '@tidemark/bus/compact'
import type { Bus } from '@tidemark/bus/connection'
import { ListSitemaps, ProbePage, ReadSitemap } from '@tidemark/contracts/ask/sitemaps'
import { asks } from '@tidemark/contracts/subjects'
import type { TSchema } from 'typebox'
import type { FetchPage } from '../adapters/fetch-now.ts'
import { listSitemaps } from '../handlers/actors/list-sitemaps.ts'
import { probePage } from '../handlers/actors/probe-page.ts'
import { readListedSitemap } from '../handlers/actors/read-listed-sitemap.ts'
import type { ReadSiteFile } from '../handlers/site-files.ts'

type Parts = {
  bus: Bus
  fetchPage: FetchPage
  readSiteFile: ReadSiteFile
  /** One of its kind answers each question. */
  queue: string
  signal: AbortSignal
  report: (error: unknown) => void
}

const listsAtOnce = 64
/** Most of them wait. */
const sitemapsAtOnce = 32
/** Each holds the beginning of a page, and most of them wait for it. */
const probesAtOnce = 512

/** Resolves when the signal has aborted and what was asked is answered. */
export async function answerSitemaps({ bus, queue, signal, report, ...parts }: Parts): Promise<void> {
  const at = <Q extends TSchema>(schema: Q) => ({ parse: jsonParser(schema), signal, report })
  const list = atMost(listsAtOnce, listSitemaps(parts))
  const read = atMost(sitemapsAtOnce, readListedSitemap({ ...parts, now: Date.now }))
  const probe = atMost(probesAtOnce, probePage({ ...parts, now: Date.now }))
  await Promise.all([
    answer(bus, asks.listSitemaps, queue, list, at(ListSitemaps)),
    answer(bus, asks.readSitemap, queue, read, { ...at(ReadSitemap), encode: encodeCompact }),
    answer(bus, asks.probePage, queue, probe, at(ProbePage)),
  ])
}
