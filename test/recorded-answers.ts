/** Records the API's answers where tests run, so that they are held against its document; where something else runs, nothing. */
import type { SeenAnswer } from '@tidemark/gateway/checked-answers.scene'

type Record = (answer: SeenAnswer) => void

/** Set by tap, in whose processes alone there is an end at which something could fail. */
const isTest = process.env.TAP === '1'
const { recordAnswer } = isTest
  ? await import('@tidemark/gateway/checked-answers.scene')
  : { recordAnswer: (() => {}) as Record }

/** The text of an answer, which must not be read yet. */
export async function textOf(response: Response, request: { method: string; path: string }): Promise<string> {
  const { status, headers } = response
  const text = await response.text()
  recordAnswer({ profile: 'narrative', ...request, status, headers, text })
  return text
}
