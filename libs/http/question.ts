/** One request as it is sent. */
import type { Headers } from './headers.ts'

export type Question = {
  url: URL
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  headers: Headers
  body: Buffer | string | null
  maxBytes: number
  /** Cut a larger body there instead of failing. */
  cuts?: boolean
}
