/**
 * Notices: webhooks about a run besides the one about its end. Each has an id that depends only on the facts, so that a
 * repeated decision leads to no second notice.
 */
import {
  endNumber,
  type FailedFacts,
  type FetchedPage,
  idOfRun,
  type PagesFacts,
  type StartedFacts,
} from './message.ts'

/**
 * Notices are in the table of deliveries, whose key is the id of a run or the negative id of a batch of scans. Ids of
 * notices begin here. Ids of runs count from 1 and never reach this number.
 */
export const firstNoticeId = 2 ** 52 + 1

export const isNotice = (deliveryId: number): boolean => deliveryId >= firstNoticeId

/** A notice with the facts that it reports. */
export type NoticeFacts =
  | { event: 'crawl.started'; facts: StartedFacts }
  | { event: 'page.fetched'; facts: PagesFacts }
  | { event: 'crawl.failed'; facts: FailedFacts; reopenings: number }

/** Returns the `webhook-id`, which is the same at every attempt. Each end and each batch has its own. */
export function noticeIdOf(notice: NoticeFacts): string {
  const { event, facts } = notice
  return idOfRun(facts.runId, event, numberOf(notice))
}

function numberOf(notice: NoticeFacts): number | null {
  if (notice.event === 'page.fetched') return notice.facts.batch
  return notice.event === 'crawl.failed' ? endNumber(notice.reopenings) : null
}

/** Maximum size of a batch. Long URLs and titles reach the second limit first. */
const maxPages = 100
const maxCharacters = 131_072

/**
 * Cuts pages into full batches, in order. The rest waits for further pages.
 * @param isAll whether the rest becomes a batch, too
 */
export function cutBatches(
  pages: readonly FetchedPage[],
  isAll: boolean,
): { batches: FetchedPage[][]; rest: FetchedPage[] } {
  const batches: FetchedPage[][] = []
  let [rest, characters]: [FetchedPage[], number] = [[], 0]
  const close = () => {
    batches.push(rest)
    rest = []
    characters = 0
  }
  for (const page of pages) {
    const size = JSON.stringify(page).length
    if (rest.length > 0 && characters + size > maxCharacters) close()
    rest.push(page)
    characters += size
    if (rest.length === maxPages) close()
  }
  if (isAll && rest.length > 0) close()
  return { batches, rest }
}
