/**
 * Reads the response of a server with `/embeddings`. It must have one vector for each text. All vectors have the same
 * length and finite numbers.
 */
import { isObject } from '@tidemark/schema/bounds'
import { type Again, failureOf, parsed, type ServerResponse, tokensIn } from './server-response.ts'

/** Maximum number of dimensions of a vector. */
export const maxDimensions = 8_192

/** `why` continues the sentence "the model of embeddings …". */
export type EmbeddingResult =
  | { type: 'embedded'; vectors: Float32Array[]; tokens: number }
  | { type: 'failed'; why: string }
  /** The response is wrong, so nothing of it is used. */
  | { type: 'invalid'; why: string }

export type EmbeddingRequest = {
  texts: readonly string[]
  /** Length of the vectors of earlier responses; null before the first one. */
  dimensions: number | null
}

/** Returns the vectors in the order of the texts, as 32-bit numbers. */
export function embeddedIn(response: ServerResponse, request: EmbeddingRequest): EmbeddingResult | Again {
  const failure = failureOf(response)
  if (failure !== null) return failure
  const body = parsed(response.text)
  if (!isObject(body) || !Array.isArray(body.data)) return invalid('sent no valid response')
  const vectors = vectorsIn(body.data, request)
  if (typeof vectors === 'string') return invalid(vectors)
  const length = request.texts.reduce((sum, text) => sum + text.length, 0)
  return { type: 'embedded', vectors, tokens: tokensIn(body.usage, 'prompt_tokens', { length }) }
}

const invalid = (why: string): EmbeddingResult => ({ type: 'invalid', why })

/**
 * Returns the vectors in the order of the texts. If a vector is missing or wrong, returns a text about the fault
 * instead.
 */
function vectorsIn(
  items: readonly unknown[],
  { texts, dimensions }: EmbeddingRequest,
): Float32Array[] | string {
  if (items.length !== texts.length) return `sent ${items.length} vectors for ${texts.length} texts`
  const byIndex = new Map<number, Float32Array>()
  let expected = dimensions
  for (const item of items) {
    const { index, embedding } = isObject(item) ? item : {}
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= texts.length)
      return 'sent a vector without the index of its text'
    if (byIndex.has(index)) return 'sent two vectors for one text'
    const vector = vectorOf(embedding)
    if (typeof vector === 'string') return vector
    expected ??= vector.length
    if (vector.length !== expected)
      return `sent a vector of ${vector.length} numbers, and others of ${expected}`
    byIndex.set(index, vector)
  }
  return texts.map((_, index) => byIndex.get(index) as Float32Array)
}

function vectorOf(values: unknown): Float32Array | string {
  if (!Array.isArray(values) || values.length === 0) return 'sent a vector that is not a list of numbers'
  if (values.length > maxDimensions)
    return `sent a vector of ${values.length} numbers, and the maximum is ${maxDimensions}`
  const vector = new Float32Array(values.length)
  for (const [n, value] of values.entries()) {
    if (typeof value !== 'number' || !Number.isFinite(Math.fround(value)))
      return 'sent a vector with a value that is not a finite number'
    vector[n] = value
  }
  return vector
}
