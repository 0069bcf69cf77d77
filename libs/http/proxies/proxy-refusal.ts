/** What a proxy may hold against a connection, and what that means for the fetch. */
import { FetchError } from '../fetch-error.ts'

type Kind = 'target' | 'login' | 'policy' | 'busy' | 'broken'

/** Whose fault each is: `connect` is the target's, as if it had been dialled directly. */
const meanings: Record<Kind, { code: 'connect' | 'proxy'; transient: boolean }> = {
  target: { code: 'connect', transient: true },
  login: { code: 'proxy', transient: false },
  policy: { code: 'proxy', transient: false },
  busy: { code: 'proxy', transient: true },
  broken: { code: 'proxy', transient: true },
}

/** The proxy answered, and did not make the connection. */
export class ProxyRefusal extends Error {
  override readonly name = 'ProxyRefusal'
  readonly kind: Kind

  constructor(kind: Kind, message: string) {
    super(message)
    this.kind = kind
  }
}

/**
 * The error of a proxy for the fetch: what the proxy itself says of the target is `connect`, an address that
 * may not be dialled stays what it is, and everything else is `proxy`.
 * @param shown the proxy without its password
 */
export function proxyError(shown: string, target: string, cause: unknown): FetchError {
  if (cause instanceof ProxyRefusal) {
    const because = `${shown}: ${cause.message}`
    return new FetchError(meanings[cause.kind].code, { ...meanings[cause.kind], because, cause, target })
  }
  const { code, transient, message } = FetchError.from(cause)
  const because = `${shown}: ${message}`
  if (code === 'private_address' || code === 'bad_url')
    return new FetchError(code, { because, cause, target })
  return new FetchError('proxy', {
    because,
    cause,
    target,
    // What is unknown here is a proxy that broke off, which the next attempt may not.
    transient: code === 'protocol' || transient,
  })
}
