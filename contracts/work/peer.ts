/** The host that sent a page, for its evidence. It is unknown if a browser rendered the page, or a fork took it from the store. */
import { Type } from 'typebox'
import { Sha256 } from '../primitives.ts'

export const Peer = Type.Object({
  /** IP address that the fetcher dialled. Absent behind a proxy, because the proxy dials. */
  address: Type.Optional(Type.String()),
  /** SHA-256 of the certificate in DER. Absent without TLS. */
  certificate: Type.Optional(Sha256),
})
