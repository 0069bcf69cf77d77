/** One request, as it is sent. */
import type { Headers } from './headers.ts'

export type Question = {
  url: URL
  method: 'GET' | 'HEAD' | 'POST'
  headers: Headers
  body: Buffer | string | null
  maxBytes: number
  /** A larger body is cut there, and is no error. */
  cuts?: boolean
}
