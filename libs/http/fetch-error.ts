/**
 * Describes why a fetch got no response: a stable code for programs, whether a retry may succeed, a sentence for
 * people, and the cause for operators. Fetches throw no other errors, so callers switch on `code` and never parse a
 * message.
 */
import { recognise } from './fetch-error-causes.ts'
import type { Headers } from './headers.ts'

/** Each reason: its sentence, whether it is transient, and the minimum delay before a retry in milliseconds. */
export const fetchCodes = {
  private_address: row('The address is not on the public internet.', false, 0),
  blocked_domain: row('The host is on the list of malicious hosts.', false, 0),
  bad_url: row('The address or a header is not one that may be requested.', false, 0),
  dns: row('The name could not be resolved.', true, 5_000),
  connect: row('No connection could be made.', true, 5_000),
  proxy: row('The proxy could not be used.', true, 5_000),
  tls: row('The encrypted connection could not be established.', false, 0),
  timeout: row('No complete response arrived in time.', true, 10_000),
  too_large: row('The response is larger than the limit.', false, 0),
  too_many_redirects: row('The redirects form a loop, or exceed the limit.', false, 0),
  protocol: row('The response is incomplete or not valid HTTP.', true, 2_000),
  action_failed: row('An action on the page failed.', false, 0),
  vendor: row('The vendor that fetches the page could not be used.', true, 5_000),
  not_configured: row('This installation does not have this fetch backend.', false, 0),
  aborted: row('The fetch was cancelled.', true, 0),
}

export type FetchCode = keyof typeof fetchCodes

export type Hop = { url: string; status: number }

type Detail = {
  /** Replaces the sentence of the code. */
  sentence?: string
  because?: string
  cause?: unknown
  transient?: boolean
  target?: string
  retryAfterMs?: number
}

export class FetchError extends Error {
  override readonly name = 'FetchError'
  readonly code: FetchCode
  /** Whether another attempt may succeed. */
  readonly transient: boolean
  /** Minimum delay before the next attempt in milliseconds. Always 0 if the error is not transient. */
  readonly retryAfterMs: number
  /** The URL or address that failed or was rejected, if known; for a redirect its target. */
  target: string
  /** The redirects that were followed before, each with its status. */
  hops: Hop[] = []
  /** The status of a response whose body did not arrive completely; null: no response began. */
  status: number | null = null
  /** The headers of the last of these redirects. Logs censor fields of this name. */
  headers: Headers = {}

  /**
   * @param code the reason
   * @param detail `because` is added to the sentence; `sentence`, `transient` and `retryAfterMs` override the table
   */
  constructor(code: FetchCode, { because, cause, transient, target = '', ...detail }: Detail = {}) {
    const row = fetchCodes[code]
    const { sentence = row.sentence, retryAfterMs } = detail
    super(because ? `${sentence.slice(0, -1)}: ${because}` : sentence, cause === undefined ? {} : { cause })
    this.code = code
    this.transient = transient ?? row.transient
    this.retryAfterMs = this.transient ? (retryAfterMs ?? row.retryAfterMs) : 0
    this.target = target
  }

  /**
   * Maps any thrown value to a FetchError. Errors of undici, node:net, node:tls, node:dns, node:zlib and llhttp are
   * known by their codes. Unknown errors become a final `protocol` with the original as its cause and no further
   * text.
   */
  static from(thrown: unknown): FetchError {
    if (thrown instanceof FetchError) return thrown
    const { code, transient } = recognise(thrown) ?? unknown
    return new FetchError(code, {
      ...causeTextOf(thrown),
      cause: thrown,
      ...(transient === undefined ? {} : { transient }),
    })
  }
}

const unknown = { code: 'protocol', transient: false } as const

/**
 * Returns the message of a known error in one line. For OpenSSL it is `reason`, because the message contains threads
 * and C files. Other messages contain internals of a library, which are for operators only.
 */
export function causeTextOf(thrown: unknown): { because?: string } {
  if (!(thrown instanceof Error) || recognise(thrown) === null) return {}
  const { reason, library } = thrown as { reason?: unknown; library?: unknown }
  const because = typeof library === 'string' && typeof reason === 'string' ? reason : thrown.message
  return /[\r\n]/.test(because) ? {} : { because }
}

function row(sentence: string, transient: boolean, retryAfterMs: number) {
  return { sentence, transient, retryAfterMs }
}
