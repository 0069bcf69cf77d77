/**
 * Records the API's answers in tests, which check them against the OpenAPI document. Outside of tests it records
 * nothing.
 */
import type { SeenAnswer } from '@tidemark/gateway/checked-answers.scene'

type Record = (answer: SeenAnswer) => void

/** Only a test has an end at which a check can fail. */
const isTest = process.argv[1]?.endsWith('.test.ts')
const { recordAnswer } = isTest
  ? await import('@tidemark/gateway/checked-answers.scene')
  : { recordAnswer: (() => {}) as Record }

/** Returns the text of an answer. The answer must not have been read yet. */
export async function textOf(response: Response, request: { method: string; path: string }): Promise<string> {
  const { status, headers } = response
  const text = await response.text()
  recordAnswer({ profile: 'narrative', ...request, status, headers, text })
  return text
}
