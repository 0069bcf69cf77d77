/**
 * Stores a batch of read pages, then publishes their outcomes. In this order a crash repeats work but loses none, and a
 * run never lists a page that cannot be shown.
 */
import { sharedTrace, withSpan } from '@tidemark/bus/trace'
import type { StoredPicture } from '@tidemark/content/pictures'
import type { StoredPage } from '@tidemark/content/statements'
import { spanAttributes, spanNames } from '@tidemark/contracts/traces'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { counter } from '@tidemark/telemetry/metrics'
import { failureOf } from '../domain/failure.ts'
import type { ReadPage } from './read-page.ts'
import type { RevisitPages } from './revisit-pages.ts'

type Ports = {
  /** Stores pages. Returns those that could not be stored. */
  store: (pages: StoredPage[]) => Promise<StoredPage[]>
  /** Stores screenshots, after their pages. */
  storePictures: (pictures: StoredPicture[]) => Promise<void>
  revisit: RevisitPages
  publish: (outcomes: Outcome[]) => Promise<void>
  /** Deletes a body outside of its message. */
  forget: (bulkyKey: string) => Promise<void>
}

/** OpenTelemetry's kind of a span that neither sends nor receives. */
const internal = 0

const countPages = counter('tidemark.extractor.pages')

export const storeAndPublish =
  ({ store, storePictures, revisit, publish, forget }: Ports) =>
  async (batch: ReadPage[]): Promise<void> => {
    const { parent, links } = sharedTrace(batch.map(({ page }) => page.trace))
    const attributes = { [spanAttributes.service]: 'extractor', [spanAttributes.pages]: batch.length }
    await withSpan(spanNames.settlePages, { kind: internal, parent, links, attributes }, async () => {
      const refused = new Set(await store(batch.flatMap(({ stored }) => stored ?? [])))
      const pictures = batch.flatMap(({ picture }) => picture ?? [])
      if (pictures.length > 0) await storePictures(pictures)
      const unchanged = await revisit(batch.map(({ page }) => page))
      await publish(batch.flatMap(read => unchanged.get(read.page) ?? outcomesOf(read, refused)))
      countPages(batch.length, {})
      const externalKeys = batch.flatMap(({ page }) => [page.bulkyKey ?? [], page.pictureKey ?? []].flat())
      await Promise.all(externalKeys.map(forget))
    })
  }

const outcomesOf = ({ page, stored, outcomes }: ReadPage, refused: Set<StoredPage>): Outcome[] =>
  stored !== null && refused.has(stored) ? [failureOf(page, 'unstorable')] : outcomes
