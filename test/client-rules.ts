/** Facts for the generated clients of all languages. The OpenAPI document does not contain these facts. */
import { warnings } from '@tidemark/contracts/http/lists'
import { problems } from '@tidemark/contracts/problems'
import type { Schema } from '../clients/python/generator/document.ts'

const actions = /\/(?:cancel|pause|resume)$/

/** Returns whether a repeated POST to a path of the OpenAPI document has no further effect. */
export const isIdempotentPost = (path: string): boolean => actions.test(path)

/**
 * The field that identifies an item, for lists with an offset to which items are added at the front while a client
 * reads.
 */
export const itemKeys: Readonly<Record<string, string>> = {
  listMonitorRuns: 'minute',
  listExports: 'id',
  // The delivery of the end of a crawl comes first.
  listDeliveries: 'id',
}

/** The field that most responses may have. Their types share it. */
export const warned: Schema = { description: 'A response with warnings.', properties: { warnings } }

/** The HTTP status of each error code. An error in a stream has only its code. */
export const statuses: [code: string, status: number][] = [
  ...Object.entries(problems).map(([code, { status }]): [string, number] => [code, status]),
  // The name of the code in the profile `openapi`.
  ['RATE_LIMITED', problems.too_many_requests.status],
]
