/**
 * Requests time-stamps from the authority in EVIDENCE_TSA_URL. The operator configures the address, so it may be
 * private, as with other servers of the operator. Bytes and time of a reply are bounded, and redirects are not
 * followed.
 */
import { randomBytes } from 'node:crypto'
import { authorityMs, type Unstamped } from '@tidemark/contracts/rpc/time-stamp'
import { createClient } from '@tidemark/http/client'
import { fetchPage } from '@tidemark/http/fetch'
import { FetchError } from '@tidemark/http/fetch-error'
import { anywhere } from '@tidemark/http/proxies/proxy-clients'
import type { Resolver } from '@tidemark/http/resolve'
import { ReplyFault, readReply, type Token } from '../../domain/time-stamps/reply.ts'
import { nonceOf, timeStampRequest } from '../../domain/time-stamps/request.ts'

export type Authority = AsyncDisposable & {
  /** Returns why requests are paused after a fault of the connection; null: they are not. */
  paused(): Unstamped | null
  /** Requests a token of this SHA-256. Returns it, or why it is missing. */
  stamp(digest: Buffer): Promise<Token | Unstamped>
}

type Options = {
  url: string
  resolver: Resolver
  report: (error: unknown) => void
  timeoutMs?: number
  /** Milliseconds of a pause after a fault of the connection, so that no client waits for a dead authority. */
  pauseMs?: number
}

const connectMs = 5_000
const connections = 8
/** A token with its chain of certificates has about 6 KB. */
const maxBytes = 65_536
const ofConnection: ReadonlySet<Unstamped> = new Set(['unreached', 'late'])
const replyType = 'application/timestamp-reply'

export function openAuthority({
  url,
  resolver,
  report,
  timeoutMs = authorityMs,
  pauseMs = 30_000,
}: Options): Authority {
  const client = createClient({
    ...{ guard: anywhere, resolver, connectTimeoutMs: connectMs, connectionsPerOrigin: connections },
  })
  let failed: { why: Unstamped; until: number } | null = null
  const paused = () => (failed !== null && performance.now() < failed.until ? failed.why : null)

  async function request(digest: Buffer): Promise<Token> {
    const wanted = { digest, nonce: nonceOf(randomBytes(8)) }
    const { status, headers, body } = await fetchPage(client, {
      ...{ url, method: 'POST', body: timeStampRequest(wanted), maxBytes, maxHops: 0, timeoutMs },
      headers: {
        accept: replyType,
        'accept-encoding': 'identity',
        'content-type': 'application/timestamp-query',
      },
    })
    const [type = ''] = (headers['content-type'] ?? '').split(';')
    if (status !== 200) throw new ReplyFault('refused', `HTTP status ${status}`)
    if (type.trim().toLowerCase() !== replyType) throw new ReplyFault('invalid', `the type is ${type}`)
    return readReply(body, wanted)
  }

  return {
    paused,
    async stamp(digest) {
      try {
        const token = await request(digest)
        failed = null
        return token
      } catch (error) {
        const why = reasonOf(error)
        // A refused request says nothing about the requests of others.
        failed = ofConnection.has(why) ? { why, until: performance.now() + pauseMs } : null
        report(new Error('the Time-Stamp Authority returned no time-stamp', { cause: error }))
        return why
      }
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

function reasonOf(error: unknown): Unstamped {
  if (error instanceof ReplyFault) return error.why
  const { code } = FetchError.from(error)
  if (code === 'timeout') return 'late'
  return code === 'too_large' || code === 'too_many_redirects' ? 'invalid' : 'unreached'
}
