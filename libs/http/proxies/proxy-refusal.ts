/** Maps a proxy's reasons for rejecting a connection to errors of the fetch. */
import { FetchError } from '../fetch-error.ts'

type Kind = 'target' | 'login' | 'policy' | 'busy' | 'broken'

/** The error for each reason. `connect`: the target failed, as if it had been dialled directly. */
const meanings: Record<Kind, { code: 'connect' | 'proxy'; transient: boolean }> = {
  target: { code: 'connect', transient: true },
  login: { code: 'proxy', transient: false },
  policy: { code: 'proxy', transient: false },
  busy: { code: 'proxy', transient: true },
  broken: { code: 'proxy', transient: true },
}

/** Reports that the proxy responded but did not open the connection. */
export class ProxyRefusal extends Error {
  override readonly name = 'ProxyRefusal'
  readonly kind: Kind

  constructor(kind: Kind, message: string) {
    super(message)
    this.kind = kind
  }
}

/**
 * Returns the error of the fetch: failures of the target that the proxy reports are `connect`, forbidden addresses
 * keep their code, and all others are `proxy`.
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
    // An unknown error means that the proxy disconnected, and the next attempt may succeed.
    transient: code === 'protocol' || transient,
  })
}
