/**
 * Decides how long a browser waits for a bot challenge to let it through. Every route that renders uses this rule. A
 * wrong guess costs a bounded wait and never a page: the extractor judges the final document.
 */
import type { Shown } from '@tidemark/browser/job'
import { challengeOf } from '@tidemark/html/challenge'
import { refusing } from '@tidemark/html/challenge-signatures'
import { readPage } from '@tidemark/html/read-page'

/** Milliseconds to wait from the first document on. Most challenges need five seconds. */
const waits = { challenge: 8_000, suspicion: 4_000 }

/** Maximum words of a refusal that may be a challenge without a known signature. */
const maxWords = 300
/** Maximum characters of a document that may be a challenge. Longer documents are not parsed. */
const maxRead = 200_000
/** Maximum size of a document that may be a challenge with any status, if another backend received a challenge. */
const tiny = { words: 60, characters: 20_000 }

const accepted = 202
/** Returns whether a challenge may have this status, in addition to 200. */
const isRefusal = (status: number): boolean => status === accepted || status >= 400
const mayComeWithCheck: ReadonlySet<number> = new Set([accepted, ...refusing])

/**
 * Returns the function `mayLeadOn` of a render job. It returns the milliseconds to wait for another document; 0: the
 * current document is the page.
 * @param isChecked whether another backend received a challenge at this address
 */
export const challengeWaitFor =
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

/** Returns whether a document has scripts. Without them it is not a challenge: the browser follows refreshes anyway. */
const runsScripts = (html: string): boolean => /<script\b|<iframe\b|<[^<>]+\son[a-z]+\s*=/i.test(html)

/** Returns title and number of words, by the parser of the extractor. */
function factsOf(html: string): { title: string | null; words: number } {
  const steps = readPage(html, { url: 'about:blank', resolve: () => null })
  for (;;) {
    const { done, value } = steps.next()
    if (done) return { title: value.title, words: value.text.words }
  }
}
