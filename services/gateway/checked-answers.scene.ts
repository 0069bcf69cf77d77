/**
 * Checks every answer in a test file against the OpenAPI document, whatever the test itself checks. Records the answers
 * and checks them after all tests of the file. An answer that violates the document fails the file.
 */
import tap from 'tap'
import type { ProfileName } from './http/domain/profile.ts'
import type { Reference } from './openapi-answers.scene.ts'
import { sharedDocument } from './shared-document.scene.ts'

export type SeenAnswer = {
  profile: ProfileName
  method: string
  /** The requested path with its query. */
  path: string
  status: number
  headers: Headers
  /** Null if it was not kept: a stream, or a text above the limits. */
  text: string | null
}

/** Maximum number of characters of one body, and of all bodies. */
export const maxKept = 2_000_000
const maxKeptOfAll = 100_000_000
const maxShown = 20

const seen: SeenAnswer[] = []
let kept = 0

export function recordAnswer(answer: SeenAnswer): void {
  const { length } = answer.text ?? ''
  const isKept = length <= maxKept && kept + length <= maxKeptOfAll
  if (isKept) kept += length
  seen.push(isKept ? answer : { ...answer, text: null })
}

tap.teardown(async () => {
  if (seen.length === 0) return
  // The import is here, because the module loads a validator, which would disturb measurements.
  const { faultOfAnswer, readReference } = await import('./openapi-answers.scene.ts')
  const references = new Map<ProfileName, Reference>()
  const faults = new Map<string, number>()
  let checked = 0
  for (const answer of seen) {
    const { profile } = answer
    const reference = references.get(profile) ?? readReference(JSON.parse(await sharedDocument(profile)))
    references.set(profile, reference)
    const fault = faultOfAnswer(reference, answer)
    if (fault !== undefined) checked++
    if (fault) faults.set(fault, (faults.get(fault) ?? 0) + 1)
  }
  tap.comment(`answers checked: ${checked}; of no operation: ${seen.length - checked}`)
  if (faults.size === 0) return
  const lines = [...faults].slice(0, maxShown).map(([fault, times]) => `${fault} (${times} times)`)
  throw new Error(
    `${faults.size} kinds of answers are not as the OpenAPI document says:\n${lines.join('\n')}`,
  )
})
