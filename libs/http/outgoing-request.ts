/** One request as it is sent. A fetch sends one for its URL and one for each redirect. */
import type { Headers } from './headers.ts'

export type OutgoingRequest = {
  url: URL
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  headers: Headers
  body: Buffer | string | null
  maxBytes: number
  /** Cuts a larger body at `maxBytes` instead of failing. */
  cuts: boolean
}
