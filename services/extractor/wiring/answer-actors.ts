/** Part of the wiring: what the extractor is asked for by the actors. */
import { answer } from '@tidemark/bus/ask'
import { atMost } from '@tidemark/bus/at-most'
import { jsonParser } from '@tidemark/bus/codec'
import { encodeCompact } from '@tidemark/bus/compact'
import type { Bus } from '@tidemark/bus/connection'
import { ReadPageAs } from '@tidemark/contracts/ask/actors'
import { asks } from '@tidemark/contracts/subjects'
import type { TSchema } from 'typebox'
import type { ContentThread } from '../adapters/content-thread.ts'
import type { FetchPage } from '../adapters/fetch-now.ts'
import { readPageAs } from '../handlers/actors/read-page-as.ts'
import type { Settings } from '../settings.ts'

type Parts = {
  settings: Settings
  bus: Bus
  fetchPage: FetchPage
  thread: ContentThread
  signal: AbortSignal
  report: (error: unknown) => void
}

/** One of its kind answers each question. */
const queue = 'extractor'
/** Each holds a page, and most of them wait. */
const pagesAtOnce = 128

/** Resolves when the signal has aborted and what was asked is answered. */
export async function answerActors({ settings, bus, signal, report, ...parts }: Parts): Promise<void> {
  const { MAX_DECODED_BYTES: maxDecodedBytes } = settings
  const at = <Q extends TSchema>(schema: Q) => ({ parse: jsonParser(schema), signal, report })
  const compact = { encode: encodeCompact }
  const pages = { ...parts, maxBytes: maxDecodedBytes, maxDecodedBytes }
  const readPage = atMost(pagesAtOnce, readPageAs(pages))
  await Promise.all([answer(bus, asks.readPageAs, queue, readPage, { ...at(ReadPageAs), ...compact })])
}
