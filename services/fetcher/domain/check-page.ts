/**
 * Decides how long a browser waits for a challenge to let it through. Every route that renders uses this one rule.
 * A wrong guess costs a bounded wait and never a page: the extractor judges the final document.
 */
import type { Shown } from '@tidemark/browser/job'
import { challengeOf } from '@tidemark/html/challenge'
import { refusing } from '@tidemark/html/challenge-signatures'
import { readPage } from '@tidemark/html/read-page'

/** Milliseconds from the first document on. Most checks need five seconds. */
const waits = { challenge: 8_000, suspicion: 4_000 }

/** Refusals with more words are no checks unless a signature fits. */
const maxWords = 300
/** Characters of the longest document that is read. */
const maxRead = 200_000
/** A document this small may be a check with any status, if another backend was shown a challenge. */
const tiny = { words: 60, characters: 20_000 }

const accepted = 202
/** Statuses of checks, in addition to 200. */
const isRefusal = (status: number): boolean => status === accepted || status >= 400
const mayComeWithCheck: ReadonlySet<number> = new Set([accepted, ...refusing])

/**
 * Returns the `mayLeadOn` of a render: milliseconds for which its document may lead on, 0 if it is the page.
 * @param isChecked whether another backend was shown a challenge at this address
 */
export const patienceWith =
  (isChecked: boolean) =>
  async (shown: Shown): Promise<number> => {
    const ms = waitMs(shown, isChecked)
    return ms > 0 && (runsScripts(shown.html) || runsScripts(await shown.served())) ? ms : 0
  }

type Document = Pick<Shown, 'status' | 'headers' | 'html'>

function waitMs({ status, headers, html }: Document, isChecked: boolean): number {
  if (isChecked && isRefusal(status)) return waits.challenge
  if (html.length > maxRead) return 0
  const { title, words } = factsOf(html)
  if (isChecked && html.length <= tiny.characters && words <= tiny.words) return waits.challenge
  const body = Buffer.from(html)
  if (challengeOf({ status, marks: headers, body, title, words }) !== null) return waits.challenge
  return mayComeWithCheck.has(status) && words <= maxWords ? waits.suspicion : 0
}

/** Without a script a document leads nowhere; the browser follows refreshes anyway. Scripts may remove themselves. */
const runsScripts = (html: string): boolean => /<script\b|<iframe\b|<[^<>]+\son[a-z]+\s*=/i.test(html)

/** With the extractor's own parser. */
function factsOf(html: string): { title: string | null; words: number } {
  const steps = readPage(html, { url: 'about:blank', resolve: () => null })
  for (;;) {
    const { done, value } = steps.next()
    if (done) return { title: value.title, words: value.text.words }
  }
}
