/**
 * Writes the content of all pages of a run as NDJSON while it is computed: one row for each page, in the order of the
 * list.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { PageItem } from '@tidemark/contracts/http/pages'
import { found } from '../http/domain/problem.ts'
import { problemOf } from '../http/requests/problem-of.ts'
import type { ReadPageContent } from './adapters/page-content.ts'
import type { PageReads } from './adapters/page-reads.ts'
import { inOrder } from './domain/in-order.ts'
import { nullsOf, type PageSlice } from './domain/page-format.ts'

type Ports = { pages: Pick<PageReads, 'find'>; readContent: ReadPageContent }

/** The read-ahead of one list: few contents, and large pages one after the other. */
const ahead = { maxItems: 8, maxWeight: 16 * 1024 ** 2, weigh: ({ bytes }: PageItem) => bytes }
/** A busy or unavailable extractor is retried; then the list is broken off, because it must not seem complete. */
const patience = { tries: 8, pauseMs: 2_000 }

/**
 * A page without a body has null in each part that needs one; an unreadable one has the reason in `warnings`. Throws if
 * the crawl is deleted meanwhile, so that its list does not seem complete.
 */
export async function* contentRows(
  ports: Ports,
  projectId: number,
  slice: PageSlice,
  pieces: AsyncIterable<PageItem[]>,
): AsyncGenerator<string> {
  const rowOf = async (item: PageItem) => {
    const content = await contentOf(ports, projectId, slice, item.id)
    return `${JSON.stringify({ ...item, ...nullsOf(slice), ...content })}\n`
  }
  yield* inOrder(oneByOne(pieces), ahead, rowOf)
}

async function* oneByOne<Item>(pieces: AsyncIterable<Item[]>): AsyncGenerator<Item> {
  for await (const items of pieces) yield* items
}

async function contentOf(
  { pages, readContent }: Ports,
  projectId: number,
  slice: PageSlice,
  id: number,
): Promise<object> {
  const page = found(await pages.find(projectId, id))
  const kept = { ...slice, parts: slice.parts.filter(part => part === 'metadata') }
  try {
    const content = await patiently(() => readContent(page, slice))
    return content ?? (await readContent(page, kept)) ?? {}
  } catch (error) {
    const { code, message } = problemOf(error)
    if (code !== 'fetch_failed') throw error
    return { warnings: [message] }
  }
}

async function patiently<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let left = patience.tries; ; left--) {
    try {
      return await work()
    } catch (error) {
      if (left === 1 || problemOf(error).code !== 'unavailable') throw error
      await sleep(patience.pauseMs)
    }
  }
}
