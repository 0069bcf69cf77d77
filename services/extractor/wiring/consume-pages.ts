/** Receives the pages of crawls from PAGES: reads them, stores them and publishes their outcomes. */
import { openBulky } from '@tidemark/bus/bulky'
import { consume } from '@tidemark/bus/consume'
import { insist } from '@tidemark/bus/insist'
import { storePictures } from '@tidemark/content/pictures'
import { copyPages } from '@tidemark/content/revisits'
import { consumers, streams } from '@tidemark/contracts/subjects'
import { createBodies } from '../adapters/bodies.ts'
import { createOutcomes, type PublishOutcomes } from '../adapters/outcomes.ts'
import type { PdfHeads } from '../adapters/pdf-thread.ts'
import { type Arrived, readFrame } from '../adapters/read-frame.ts'
import { storeBatch } from '../adapters/store-batch.ts'
import { createBatches } from '../concurrency/batches.ts'
import { failureOf } from '../domain/failure.ts'
import { extractPages } from '../handlers/extract-pages.ts'
import { createPageReader } from '../handlers/read-page.ts'
import { revisitPages } from '../handlers/revisit-pages.ts'
import { storeAndPublish } from '../handlers/store-and-publish.ts'
import type { ExtractorParts } from './parts.ts'

/** Two batches in progress keep the database busy while a third is read. More would only wait. */
export const batchesOut = 2
const batching = { maxItems: 50, maxBytes: 8 * 1024 ** 2, maxOut: batchesOut, maxWaitMs: 100 }

type Parts = Pick<
  ExtractorParts,
  'settings' | 'bus' | 'db' | 'store' | 'storedPages' | 'largePages' | 'signal' | 'report'
> & {
  pdfs: PdfHeads | null
}

/** Consumes until the signal aborts. Resolves when all received pages are stored and published. */
export function consumePages({
  settings,
  bus,
  db,
  store,
  storedPages,
  largePages,
  pdfs,
  signal,
  report,
}: Parts): Promise<void> {
  const {
    EXTRACT_MESSAGES: messages,
    MAX_DECODED_BYTES: maxDecodedBytes,
    ROBOTS_TOKEN: robotsToken,
  } = settings
  const insistence = { signal, report }
  const bodies = createBodies(openBulky(bus))
  const publish = createOutcomes(bus, insistence)
  const settle = storeAndPublish({
    store: pages => storeBatch(store, pages, insistence),
    storePictures: pictures => insist(() => storePictures(db.pool, pictures), insistence),
    revisit: revisitPages({ copy: copies => insist(() => copyPages(db.transaction, copies), insistence) }),
    publish,
    forget: key => bodies.forget(key).catch(report), // otherwise the sweep by age removes it
  })
  return consume(bus, {
    stream: streams.pages,
    consumer: consumers.extractor,
    parse: readFrame,
    handle: extractPages({
      reader: createPageReader({
        ...{ bodies, storedPages, largePages, pdfs, maxDecodedBytes, robotsToken, report },
      }),
      readStored: pages => insist(() => storedPages.readSmall(pages), insistence),
      batches: createBatches({ ...batching, run: settle }),
      messages,
      maxBytes: maxDecodedBytes,
      report,
    }),
    concurrency: messages,
    signal,
    report,
    onDeadLetter: deadLetterPages(publish),
  })
}

/** Fails every page of a terminated message, so that no run waits for it. An unreadable message names no page. */
const deadLetterPages =
  (publish: PublishOutcomes) =>
  async (work: Arrived[] | null): Promise<void> =>
    publish((work ?? []).map(({ page }) => failureOf(page, 'given_up')))
