/** Maps the errors of the faithful client to errors of a fetch. Their long messages are meant for its developers. */
import { type FetchCode, FetchError } from '@tidemark/http/fetch-error'

/** Codes by the name of the error's class. All other errors are `protocol`. */
const codes: Record<string, FetchCode> = {
  TimeoutError: 'timeout',
  ConnectTimeout: 'timeout',
  ReadTimeout: 'timeout',
  WriteTimeout: 'timeout',
  PoolTimeout: 'timeout',
  ConnectError: 'connect',
  NetworkError: 'connect',
  ProxyTunnelError: 'connect',
  ProxyAuthRequired: 'connect',
  InvalidURL: 'bad_url',
  UnsupportedProtocol: 'bad_url',
}

/** Matches the phrases by which its TLS library names a fault. */
const ofTls =
  /(?:InvalidCertificate\(\s*\w+|AlertReceived\(\s*\w+|PeerIncompatible\(\s*\w+|PeerMisbehaved\(\s*\w+|InvalidMessage\(\s*\w+|HandshakeFailure|CorruptMessage)/

export function errorOfImpit(thrown: unknown): FetchError {
  if (!(thrown instanceof Error)) return FetchError.from(thrown)
  const [tls] = ofTls.exec(thrown.message) ?? []
  if (tls !== undefined) return new FetchError('tls', { because: tls.replace(/\(\s*/g, ': '), cause: thrown })
  const code = codes[thrown.name]
  if (code === undefined) return new FetchError('protocol', { cause: thrown })
  const [because = ''] = thrown.message.split('\n')
  return new FetchError(code, { because: because.replace(/\.$/, ''), cause: thrown })
}
