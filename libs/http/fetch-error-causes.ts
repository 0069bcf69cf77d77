/**
 * Maps the error codes of undici, Node and llhttp to the codes of a failed fetch, and to whether a retry may succeed.
 * A new code needs a new row.
 */
const final = <Code extends string>(code: Code) => ({ code, transient: false })
const passing = <Code extends string>(code: Code) => ({ code, transient: true })

const exact = {
  UND_ERR_CONNECT_TIMEOUT: passing('timeout'),
  UND_ERR_HEADERS_TIMEOUT: passing('timeout'),
  UND_ERR_BODY_TIMEOUT: passing('timeout'),
  ETIMEDOUT: passing('timeout'),
  TimeoutError: passing('timeout'),
  UND_ERR_HEADERS_OVERFLOW: final('too_large'),
  UND_ERR_RES_EXCEEDED_MAX_SIZE: final('too_large'),
  ERR_BUFFER_TOO_LARGE: final('too_large'),
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: passing('protocol'),
  UND_ERR_SOCKET: passing('protocol'),
  ECONNRESET: passing('protocol'),
  ECONNABORTED: passing('protocol'),
  EPIPE: passing('protocol'),
  UND_ERR_INVALID_ARG: final('bad_url'),
  ERR_INVALID_URL: final('bad_url'),
  ERR_INVALID_CHAR: final('bad_url'),
  UND_ERR_ABORTED: passing('aborted'),
  UND_ERR_DESTROYED: passing('aborted'),
  UND_ERR_CLOSED: passing('aborted'),
  ABORT_ERR: passing('aborted'),
  AbortError: passing('aborted'),
  ECONNREFUSED: passing('connect'),
  EHOSTUNREACH: passing('connect'),
  EHOSTDOWN: passing('connect'),
  ENETUNREACH: passing('connect'),
  ENETDOWN: passing('connect'),
  EADDRNOTAVAIL: passing('connect'),
  EACCES: final('connect'),
  EPERM: final('connect'),
  EINVAL: final('connect'),
  EMFILE: passing('connect'),
  ENFILE: passing('connect'),
  ENOBUFS: passing('connect'),
  ENOTFOUND: final('dns'),
  ENODATA: final('dns'),
  EBADNAME: final('dns'),
  EAI_NONAME: final('dns'),
  EAI_AGAIN: passing('dns'),
  EAI_FAIL: passing('dns'),
  ESERVFAIL: passing('dns'),
  EREFUSED: passing('dns'),
  ETIMEOUT: passing('dns'),
  EBADRESP: passing('dns'),
  EPROTO: final('tls'),
  DEPTH_ZERO_SELF_SIGNED_CERT: final('tls'),
  SELF_SIGNED_CERT_IN_CHAIN: final('tls'),
  HOSTNAME_MISMATCH: final('tls'),
}

const byPrefix = [
  ['HPE_', final('protocol')],
  ['ERR_TLS', final('tls')],
  ['ERR_SSL', final('tls')],
  ['ERR_OSSL', final('tls')],
  ['CERT_', final('tls')],
  ['CRL_', final('tls')],
  ['UNABLE_TO_', final('tls')],
] as const

type Meaning = (typeof exact)[keyof typeof exact]

/**
 * Returns the meaning of a thrown value by its `code`, otherwise by its `name` (DOMException); null: both are
 * unknown.
 */
export function recognise(thrown: unknown): Meaning | null {
  for (const word of wordsOf(thrown)) {
    const known: Meaning | undefined = Object.hasOwn(exact, word)
      ? exact[word as keyof typeof exact]
      : undefined
    const meaning = known ?? byPrefix.find(([prefix]) => word.startsWith(prefix))?.[1]
    if (meaning) return meaning
  }
  return null
}

function wordsOf(thrown: unknown): string[] {
  if (typeof thrown !== 'object' || thrown === null) return []
  const { code, name } = thrown as { code?: unknown; name?: unknown }
  return [code, name].filter(word => typeof word === 'string')
}
